import { base64, jwt, parts, privateKey, some, uuid } from './make.ts';
import type { Sample, Written } from './samples.ts';

// Written after the rules and independently of them. At first the rules found 69 of the 91 places and all surroundings; the
// missing rules were added since.

const escape = '\u001b';

/** Surroundings that the rules were not written for. */
const surroundings: Record<string, (secret: string) => Written> = {
  'lines of bat': (s) => ({
    text: `${escape}[38;5;238m   1${escape}[0m ${escape}[38;5;238m│${escape}[0m ${escape}[38;5;231mgiven = ${escape}[0m${escape}[38;5;186m"${s}"${escape}[0m`,
  }),
  'log of compose': (s) => ({
    text: `${escape}[36mweb-1  | ${escape}[0m2024-06-01T10:00:00Z INFO using ${s} for uploads`,
  }),
  'log of kubectl': (s) => ({ text: `[pod/web-6f/app] 2024/06/01 10:00:00 given=${s} retry=3` }),
  'words of a diff': (s) => ({ text: `@@ -3 +3 @@\nexport const given = [-"old"-]{+"${s}"+};` }),
  blame: (s) => ({ text: `^1a2b3c4d (Ada Lovelace 2024-06-01 10:00:00 +0200  12) given: ${s}` }),
  nl: (s) => ({ text: `    11  a\n    12  ${s}\n    13  b` }),
  'failed test': (s) => ({ text: `E       AssertionError: assert '${s}' == 'x'\nE         - x\nE         + ${s}` }),
  markdown: (s) => ({ text: `1. Open the settings\n2. Paste **${s}**\n3. Done` }),
  table: (s) => ({ text: `| name | value |\n|------|-------|\n| given | \`${s}\` |` }),
  html: (s) => ({ text: `<code class="x">${s}</code><br/>` }),
  attribute: (s) => ({ text: `<item id="1" given="${s}"/>` }),
  toml: (s) => ({ text: `[service]\ngiven = '${s}'\n` }),
  csv: (s) => ({ text: `id,given,at\n1,${s},2024-06-01\n` }),
  'here document': (s) => ({ text: `cat > x <<'EOF'\n${s}\nEOF` }),
  python: (s) => ({ text: `{'given': '${s}', 'n': None}` }),
  tuple: (s) => ({ text: `("given", b'${s}')` }),
  'trace of a request': (s) => ({ text: `> POST /x HTTP/2\n> x-given: ${s}\n> accept: */*\n< HTTP/2 200` }),
  'json three deep': (s) => ({ text: JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ given: s }) }) }) }),
  link: (s) => ({ text: `${escape}]8;;https://x.example.net${escape}\\${s}${escape}]8;;${escape}\\` }),
  'bold and underlined': (s) => ({ text: `${escape}[1;4m${s}${escape}[22;24m.` }),
  joiners: (s) => ({
    text: `a ${[...s].map((letter, index) => (index % 9 === 8 ? `${letter}\u2060` : letter)).join('')} b`,
  }),
  object: (s) => ({ value: { given: [{ text: `see ${s}` }] } }),
  'three messages': (s) => ({ texts: ['It is', ` ${s.slice(0, -4)}`, `${s.slice(-4)}\nThat is it.`] }),
};

function heldOutTokens(): [kind: string, secret: string][] {
  return [
    ['aws', parts('AK', 'IA', some('upper', 16))],
    ['google', parts('AI', 'zaSy', some('url', 33))],
    ['github', parts('gh', 'o_', some('mixed', 36))],
    ['gitlab', parts('gl', 'rt-', some('url', 20))],
    [
      'slack',
      parts('xo', 'xp-', some('digits', 12), '-', some('digits', 12), '-', some('digits', 12), '-', some('hex', 32)),
    ],
    ['stripe', parts('sk', '_test_', some('mixed', 32))],
    ['openai', parts('sk', '-svcacct-', some('url', 120))],
    ['anthropic', parts('sk', '-ant-', 'admin01-', some('url', 93), 'AA')],
    ['npm', parts('np', 'm_', some('mixed', 36))],
    ['pypi', parts('py', 'pi-', 'AgEIcHlwaS5vcmc', some('url', 150))],
    ['huggingface', parts('h', 'f_', some('mixed', 34))],
    ['atlassian', parts('AT', 'ATT3', 'xFfGN0', some('url', 176))],
    ['buildkite', parts('bk', 'ua_', some('lower', 40))],
    ['cloudflare', parts('v1', '.0-', some('hex', 24), '-', some('hex', 146))],
    ['firebase', parts('AAAA', some('url', 7), ':AP', 'A91b', some('url', 134))],
    ['vercel', parts('vc', 'p_', some('mixed', 56))],
    ['sendgrid', parts('S', 'G.', some('url', 22), '.', some('url', 43))],
    ['twilio', parts('S', 'K', some('hex', 32))],
    ['tailscale', parts('ts', 'key-auth-', some('mixed', 11), 'CNTRL-', some('mixed', 32))],
    ['linear', parts('lin', '_api_', some('mixed', 40))],
    ['notion', parts('nt', 'n_', some('mixed', 46))],
    ['digitalocean', parts('dop', '_v1_', some('hex', 64))],
    ['jwt', jwt()],
    ['bcrypt', parts('$2', 'b$10$', some('mixed', 53))],
  ];
}

function heldOutPlaces(): Sample[] {
  const key = privateKey('RSA PRIVATE KEY', 6).split('\n');
  const list: [kind: string, secret: string, written: (secret: string) => string | Written][] = [
    ['django', `django-insecure-${some('url', 50)}`, (s) => `SECRET_KEY = '${s}'`],
    ['flask', 'tr4-la-la-pferd', (s) => `app.secret_key = "${s}"`],
    ['express', 'keyboardcat-19', (s) => `app.use(session({ secret: '${s}', resave: false }))`],
    ['laravel', `base64:${some('base64', 43)}=`, (s) => `APP_NAME=x\nAPP_KEY=${s}`],
    ['rails', some('hex', 32), (s) => `RAILS_MASTER_KEY=${s} bin/rails s`],
    ['next-auth', some('base64', 43), (s) => `NEXTAUTH_SECRET="${s}="`],
    ['gradle', 'rel3ase-store', (s) => `signingConfigs { release { storePassword '${s}' } }`],
    ['gradle properties', 'rel3ase-store', (s) => `RELEASE_STORE_PASSWORD=${s}`],
    ['keytool', 'ch4ngeit-now', (s) => `keytool -genkey -alias a -storepass ${s} -keypass x`],
    ['keychain', 'mac-Login-77', (s) => `security unlock-keychain -p ${s} login.keychain`],
    ['wireguard', some('base64', 43), (s) => `[Interface]\nPrivateKey = ${s}=\nAddress = 10.0.0.2/32`],
    ['wifi', 'kellerlicht88', (s) => `network={\n  ssid="home"\n  psk="${s}"\n}`],
    ['otp', some('upper', 32).replaceAll(/[0189]/g, 'A'), (s) => `otpauth://totp/Acme:bob?secret=${s}&issuer=Acme`],
    [
      'kubeconfig',
      base64(privateKey('RSA PRIVATE KEY', 4)),
      (s) => `users:\n- name: a\n  user:\n    client-key-data: ${s}`,
    ],
    ['kubeconfig token', some('mixed', 40), (s) => `users:\n- name: a\n  user:\n    token: ${s}`],
    ['kubernetes', 'gartenHaus-3', (s) => `stringData:\n  db-password: ${s}`],
    ['helm', 'gartenHaus-3', (s) => `helm upgrade x ./c --set postgresql.auth.password=${s}`],
    ['terraform variable', 'gartenHaus-3', (s) => `TF_VAR_db_password=${s} terraform apply`],
    ['terraform state', 'gartenHaus-3', (s) => JSON.stringify({ attributes: { master_password: s, engine: 'pg' } })],
    ['vault', some('base64', 44), (s) => `Unseal Key 1: ${s}\nInitial Root Token: hvs.x`],
    ['datadog', some('hex', 32), (s) => `curl -H "DD-API-KEY: ${s}" https://api.example.net`],
    ['okta', parts('00', some('url', 40)), (s) => `Authorization: SSWS ${s}`],
    ['auth0', some('url', 64), (s) => `AUTH0_CLIENT_SECRET=${s}`],
    ['algolia', some('hex', 32), (s) => `ALGOLIA_ADMIN_KEY: ${s}`],
    ['mistral', some('mixed', 32), (s) => `MISTRAL_API_KEY=${s}`],
    ['deepgram', some('hex', 40), (s) => `const dg = createClient({ apiKey: "${s}" })`],
    ['cohere', some('mixed', 40), (s) => `co = cohere.Client(api_key="${s}")`],
    ['snyk', uuid(), (s) => `SNYK_TOKEN=${s} snyk test`],
    ['jenkins', some('hex', 34), (s) => `curl -u bob:${s} https://ci.example.net/job/x/build`],
    ['publish profile', some('mixed', 60), (s) => `<publishProfile userName="$site" userPWD="${s}" />`],
    [
      'app settings',
      'Ferien.2024',
      (s) =>
        JSON.stringify({
          ConnectionStrings: { Default: `Server=db;Database=a;User Id=sa;Password=${s};TrustServerCertificate=True` },
        }),
    ],
    ['odbc', 'Ferien.2024', (s) => `Driver={ODBC Driver 18};Server=db;UID=sa;PWD=${s};`],
    ['smtp', 'Ferien.2024', (s) => `smtp://mailer:${s}@mail.example.net:587`],
    ['redis', 'Ferien.2024', (s) => `rediss://default:${s}@cache.example.net:6380`],
    ['ftp', 'Ferien.2024', (s) => `lftp ftp://bob:${s}@files.example.net`],
    ['git credentials', some('mixed', 20), (s) => `https://bob:${s}@git.example.net`],
    ['rclone', some('url', 30), (s) => `[files]\ntype = sftp\nuser = bob\npass = ${s}`],
    ['maven', '{COQLCE6DU6GtcS5P}', (s) => `<server><username>a</username><password>${s}</password></server>`],
    ['ansible', 'Ferien.2024', (s) => `ansible_become_password: ${s}`],
    ['ansible inventory', 'Ferien.2024', (s) => `web1 ansible_user=a ansible_ssh_pass=${s}`],
    ['compose', 'Ferien.2024', (s) => `    environment:\n      - MYSQL_ROOT_PASSWORD=${s}`],
    ['cmd', 'Ferien.2024', (s) => `set DB_PASSWORD=${s}`],
    ['fish', 'Ferien.2024', (s) => `set -gx DB_PASSWORD ${s}`],
    ['powershell', 'Ferien.2024', (s) => `[Environment]::SetEnvironmentVariable("DB_PASSWORD", "${s}")`],
    ['powershell', 'Ferien.2024', (s) => `$pw = ConvertTo-SecureString '${s}' -AsPlainText -Force; $c`],
    ['powershell', 'Ferien.2024', (s) => `Connect-X -Username bob -Password ${s}`],
    ['playwright', 'Ferien.2024', (s) => `await page.getByLabel('Password').fill('${s}');`],
    ['selenium', 'Ferien.2024', (s) => `driver.find_element(By.ID, "password").send_keys("${s}")`],
    ['form', 'Ferien.2024', (s) => `curl -d "user=bob&password=${s}" https://x.example.net/login`],
    ['form in json', 'Ferien.2024', (s) => `curl -d '{"username":"bob","password":"${s}"}' https://x.example.net`],
    ['graphql', 'Ferien.2024', (s) => `mutation { login(email: "a@b.c", password: "${s}") { token } }`],
    ['sql', 'Ferien.2024', (s) => `ALTER USER app WITH PASSWORD '${s}';`],
    ['sql', 'Ferien.2024', (s) => `CREATE USER 'a'@'%' IDENTIFIED BY '${s}';`],
    ['sql server', 'Ferien.2024', (s) => `CREATE LOGIN a WITH PASSWORD = N'${s}';`],
    ['mongo', 'Ferien.2024', (s) => `db.createUser({ user: "a", pwd: "${s}", roles: [] })`],
    ['rust', 'Ferien.2024', (s) => `.password("${s}")\n.connect()`],
    ['java', 'Ferien.2024', (s) => `DriverManager.getConnection(url, "sa", "${s}"); // password`],
    ['kotlin', 'Ferien.2024', (s) => `val dbPassword = "${s}"`],
    ['swift', some('mixed', 32), (s) => `let apiKey: String = "${s}"`],
    ['c#', some('mixed', 32), (s) => `private const string ApiKey = "${s}";`],
    ['go', some('mixed', 32), (s) => `const clientSecret = \`${s}\``],
    ['prose', 'Ferien.2024', (s) => `the db password is "${s}" btw`],
    ['prose', 'Ferien.2024', (s) => `Use admin / ${s} to log in.`],
    ['prose', 'Ferien.2024', (s) => `user: admin, pass: ${s}`],
    ['prose', 'Ferien.2024', (s) => `Login: admin\nPasswort: ${s}`],
    ['prose', 'Ferien.2024', (s) => `mein passwort ist ${s}, bitte nicht weitergeben`],
    ['prose', 'Ferien.2024', (s) => `El usuario es admin y la contraseña es ${s}`],
    ['prose', 'Ferien.2024', (s) => `You can sign in as bob@example.net with ${s}`],
    ['prose', 'Ferien.2024', (s) => `I changed the root password to ${s}`],
    ['prose', 'Ferien.2024', (s) => `Here are the creds:\n- username: bob\n- password: ${s}`],
    ['prose', 'Ferien.2024', (s) => `my passphrase = ${s}`],
    ['pgpass', 'Ferien_2024', (s) => `127.0.0.1:5432:*:postgres:${s}`],
    ['htpasswd', parts('$ap', 'r1$', some('mixed', 8), '$', some('mixed', 22)), (s) => `# users\nadmin:${s}\n`],
    ['shadow', parts('$y', '$j9T$', some('mixed', 22), '$', some('mixed', 43)), (s) => `bob:${s}:19000:0:99999:7:::`],
    ['private key', key[3]!, () => key.map((line, index) => `${index + 1}. ${line}`).join('\n')],
    ['private key', key[3]!, () => key.map((line) => `web-1  | ${line}`).join('\n')],
    ['private key', key[3]!, () => key.map((line) => `# ${line}`).join('\n')],
    ['private key', key[3]!, () => key.map((line) => `  "${line}\\n" +`).join('\n')],
    ['private key', key[3]!, () => key.map((line, index) => `id_rsa:${index + 1}:${line}`).join('\n')],
    ['private key', key[3]!, () => key.map((line, index) => `id_rsa-${index + 1}-${line}`).join('\n')],
    ['private key', key[3]!, () => `KEY="${key.join('\\n')}"`],
    ['private key', key[3]!, () => ({ texts: [key.slice(0, 4).join('\n'), `\n${key.slice(4).join('\n')}`] })],
    [
      'seed phrase',
      'letter advice cage',
      (s) => `my recovery phrase: ${s} absurd amount doctor acoustic avoid letter advice cage above`,
    ],
    ['seed phrase', 'ozone drill grab', (s) => `${s} fiber curtain grace pudding thank cruise elder eight picnic`],
    [
      'discord webhook',
      some('url', 68),
      (s) => parts('https://discord', '.com/api/webhooks/', some('digits', 18), `/${s}`),
    ],
    ['cookie', some('mixed', 32), (s) => `document.cookie = "session=${s}; path=/"`],
    ['cookie', some('mixed', 32), (s) => `< set-cookie: sid=${s}; Secure; HttpOnly`],
    [
      'bearer',
      some('mixed', 40),
      (s) => `${escape}[33mAuthorization${escape}[0m: Bearer ${escape}[32m${s}${escape}[0m`,
    ],
    ['bearer', some('mixed', 40), (s) => `     3→  Authorization: "Bearer ${s}",`],
    [
      'signed url',
      some('hex', 64),
      (s) => `https://s3.example.net/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=${s}`,
    ],
    ['npmrc', some('mixed', 40), (s) => `+//npm.example.net/:_authToken=${s}`],
    ['docker config', base64(`bob:${some('mixed', 12)}`), (s) => `"auths": {"r.example.net": {"auth": "${s}"}}`],
    ['actions', some('mixed', 40), (s) => `::add-mask::${s}\nDEPLOY_TOKEN=${s}`],
  ];
  return list.map(([kind, secret, write], index): Sample => {
    const made = write(secret);
    return {
      kind,
      form: `place ${index}`,
      written: typeof made === 'string' ? { text: made } : made,
      secrets: [secret],
    };
  });
}

export function heldOutSamples(): Sample[] {
  const wrapped = heldOutTokens().flatMap(([kind, secret]) =>
    Object.entries(surroundings).map(([form, write]): Sample => ({
      kind,
      form,
      written: write(secret),
      secrets: [secret],
    })),
  );
  return [...wrapped, ...heldOutPlaces()];
}
