/** A text, consecutive texts, or a JSON value. */
export type Written = { text: string } | { texts: string[] } | { value: unknown };

/** A secret and its surroundings. No recognizable piece of `secrets` may remain. */
export interface Sample {
  kind: string;
  form: string;
  written: Written;
  secrets: string[];
}

export interface Harmless {
  kind: string;
  written: Written;
}

/** A recognizable secret in every form that agents write. */
export function everyForm(kind: string, secret: string): Sample[] {
  const cut = Math.ceil(secret.length * 0.6);
  const forms: Record<string, Written> = {
    plain: { text: `I have set it up with ${secret} and the deployment went through.` },
    quoted: { text: `const client = connect('${secret}', { retries: 3 });` },
    lines: { text: `Here it is:\n\n    ${secret}\n\nKeep it safe.` },
    json: { text: JSON.stringify({ command: `run --with "${secret}" --now`, cwd: '/srv/app' }) },
    'json in json': { text: JSON.stringify({ arguments: JSON.stringify({ note: `first\n${secret}\nlast` }) }) },
    url: { text: `GET https://api.example.net/v1/items?page=2&t=${encodeURIComponent(secret)}&sort=asc failed` },
    value: { value: { steps: [{ tool: 'Write', input: { content: `a = ${secret}` } }] } },
    split: { texts: [`The first half is ${secret.slice(0, cut)}`, `${secret.slice(cut)} and that was it.`] },
  };
  return Object.entries(forms).map(([form, written]) => ({ kind, form, written, secrets: [secret] }));
}
