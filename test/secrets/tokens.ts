import { jwt, parts, privateKey, some } from './make.ts';
import { everyForm, type Sample } from './samples.ts';

/** Secrets recognizable by their form. */
export function tokenSamples(): Sample[] {
  const tokens: [kind: string, secret: string][] = [
    ['aws', parts('AK', 'IA', some('upper', 16))],
    ['aws', parts('AS', 'IA', some('upper', 16))],
    ['gcp', parts('AI', 'za', some('url', 35))],
    ['gcp', parts('ya', '29.', some('url', 120))],
    ['gcp', parts('GOC', 'SPX-', some('url', 28))],
    ['azure', parts(some('mixed', 3), '8', 'Q~', some('mixed', 34))],
    ['azure', parts(some('mixed', 52), 'JQ', 'QJ99', some('mixed', 26))],
    ['forge', parts('gh', 'p_', some('mixed', 36))],
    ['forge', parts('gh', 'o_', some('mixed', 36))],
    ['forge', parts('gh', 's_', some('mixed', 36))],
    ['forge', parts('github', '_pat_', some('mixed', 22), '_', some('mixed', 59))],
    ['forge', parts('gl', 'pat-', some('url', 20))],
    ['forge', parts('gl', 'dt-', some('url', 22))],
    ['forge', parts('AT', 'BB', some('mixed', 32))],
    ['forge', parts('AT', 'ATT', '3xFfGF0', some('url', 170), '=', some('upper', 8))],
    ['registry', parts('np', 'm_', some('mixed', 36))],
    ['registry', parts('py', 'pi-', 'AgEIcHlwaS5vcmc', some('url', 120))],
    ['registry', parts('dckr', '_pat_', some('url', 27))],
    ['registry', parts('ruby', 'gems_', some('hex', 48))],
    ['model provider', parts('sk', '-proj-', some('url', 74), 'T3Blbk', 'FJ', some('url', 74))],
    ['model provider', parts('sk', '-', some('mixed', 20), 'T3Blbk', 'FJ', some('mixed', 20))],
    ['model provider', parts('sk', '-ant-', 'api03-', some('url', 93), 'AA')],
    ['model provider', parts('sk', '-ant-', 'oat01-', some('url', 86))],
    ['model provider', parts('sk', '-or-v1-', some('hex', 64))],
    ['model provider', parts('h', 'f_', some('letters', 34))],
    ['model provider', parts('gs', 'k_', some('mixed', 52))],
    ['model provider', parts('xa', 'i-', some('mixed', 80))],
    ['model provider', parts('r', '8_', some('mixed', 37))],
    ['model provider', parts('pp', 'lx-', some('mixed', 48))],
    ['service', parts('xo', 'xb-', some('digits', 12), '-', some('digits', 13), '-', some('mixed', 24))],
    ['service', parts('sk', '_live_', some('mixed', 24))],
    ['service', parts('rk', '_test_', some('mixed', 99))],
    ['service', parts('S', 'G.', some('url', 22), '.', some('url', 43))],
    ['service', parts('S', 'K', some('hex', 32))],
    ['service', parts('wh', 'sec_', some('mixed', 32))],
    ['service', parts('dop', '_v1_', some('hex', 64))],
    ['service', parts(some('digits', 10), ':A', 'A', some('url', 33))],
    ['service', parts('hv', 's.', some('url', 96))],
    ['service', parts('shp', 'at_', some('hex', 32))],
    ['baton', parts('bat', 'on_', some('url', 43))],
    ['jwt', jwt()],
    ['jwt', jwt()],
  ];
  return [...tokens.flatMap(([kind, secret]) => everyForm(kind, secret)), ...keys()];
}

/** Private keys have many lines, which agents usually write escaped. */
function keys(): Sample[] {
  const labels = [
    'RSA PRIVATE KEY',
    'PRIVATE KEY',
    'EC PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ];
  return labels.flatMap((label): Sample[] => {
    const pem = privateKey(label);
    const lines = pem.split('\n').slice(1, -1);
    const kind = 'private key';
    return [
      { kind, form: 'lines', written: { text: `cat key.pem\n${pem}\n$ ls` }, secrets: lines },
      {
        kind,
        form: 'json',
        written: { text: JSON.stringify({ type: 'service_account', private_key: `${pem}\n`, client_email: 'a@b.c' }) },
        secrets: lines,
      },
      {
        kind,
        form: 'json in json',
        written: { text: JSON.stringify({ arguments: JSON.stringify({ content: pem }) }) },
        secrets: lines,
      },
      {
        kind,
        form: 'env',
        written: { text: `SIGNING_KEY="${pem.replaceAll('\n', '\\n')}"\nPORT=3000` },
        secrets: lines,
      },
      {
        kind,
        form: 'yaml',
        written: { text: `tls:\n  key: |\n${pem.replaceAll(/^/gm, '    ')}\n  port: 443` },
        secrets: lines,
      },
      { kind, form: 'value', written: { value: { files: [{ path: 'id', content: pem }] } }, secrets: lines },
      {
        kind,
        form: 'cut',
        written: { text: `The output was cut:\n${pem.split('\n').slice(0, 8).join('\n')}` },
        secrets: lines.slice(0, 7),
      },
      { kind, form: 'split', written: { texts: [pem.slice(0, 400), pem.slice(400)] }, secrets: lines },
    ];
  });
}
