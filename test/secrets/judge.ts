import { redactText, redactTexts, redactValue, type Redactions } from '../../server/work/redaction/redact.ts';
import type { Sample, Written } from './samples.ts';

type Stored = Redactions & { stored: string };

const known = new WeakMap<Written, Stored>();

/** The stored result as one text. Several tests ask for the same samples. */
export function redacted(written: Written): Stored {
  const stored = known.get(written) ?? store(written);
  known.set(written, stored);
  return stored;
}

function store(written: Written): Stored {
  if ('text' in written) {
    const { text, ...found } = redactText(written.text);
    return { ...found, stored: text };
  }
  if ('texts' in written) {
    const { texts, ...found } = redactTexts(written.texts);
    return { ...found, stored: texts.join('\n') };
  }
  const { value, ...found } = redactValue(written.value);
  return { ...found, stored: JSON.stringify(value) };
}

/** The shortest piece of a secret that may not remain: 12 characters, or the whole of a shorter secret. */
const telling = 12;

/** All pieces of a secret that may not remain. */
export function piecesOf(secret: string): string[] {
  const length = Math.min(telling, secret.length);
  return Array.from({ length: secret.length - length + 1 }, (_, start) => secret.slice(start, start + length));
}

/** The text as displayed, without colour codes and zero-width characters, escaped ones included. */
const read = (text: string): string =>
  text.replace(/(?:\u001b|\\+(?:u001b|033|e|x1b))\[[0-9;]*[A-Za-z]|[\u200b\ufeff]/g, '');

export const isKept = (sample: Sample): boolean => {
  const { stored } = redacted(sample.written);
  return sample.secrets.every((secret) =>
    piecesOf(secret).every((piece) => !stored.includes(piece) && !read(stored).includes(piece)),
  );
};

/** The secrets of which the text contains a piece. */
export function secretsIn(text: string, secrets: readonly string[]): string[] {
  const short = secrets.filter((secret) => secret.length < telling && text.includes(secret));
  const pieces = new Map(
    secrets
      .filter((secret) => secret.length >= telling)
      .flatMap((secret) => piecesOf(secret).map((piece) => [piece, secret])),
  );
  const found = new Set(short);
  for (let at = 0; at + telling <= text.length; at += 1) {
    const secret = pieces.get(text.slice(at, at + telling));
    if (secret !== undefined) found.add(secret);
  }
  return [...found];
}
