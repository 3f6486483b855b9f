import { createHmac } from 'node:crypto';

/** A webhook, as far as its secrets depend on it. */
interface Signed {
  id: string;
  secretVersion: number;
  previousSecretUntil: Date | null;
}

const keyed = (key: string, ...text: (string | number)[]) => createHmac('sha256', key).update(text.join(' '));

/**
 * The secret of a webhook, computed from BATON_WEBHOOK_KEY and the number of its version: no secret is stored, and a copy of the
 * database signs nothing.
 */
export const secretOf = (key: string, webhookId: string, version: number): string =>
  `whsec_${keyed(key, 'webhook secret', webhookId, version).digest('base64url')}`;

/** Identifies a BATON_WEBHOOK_KEY without revealing it. */
export const keyCheckOf = (key: string, webhookId: string): string =>
  keyed(key, 'webhook key check', webhookId).digest('base64url').slice(0, 16);

/** The secrets that sign now: the present one, and for a day after a rotation the one before. */
export function secretsOf(key: string, { id, secretVersion, previousSecretUntil }: Signed, now: Date): string[] {
  const rotating = previousSecretUntil !== null && previousSecretUntil > now;
  return [secretVersion, ...(rotating ? [secretVersion - 1] : [])].map((version) => secretOf(key, id, version));
}

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<seconds>.<body>`, one `v1` for each secret. */
export function signatureOf(secrets: readonly string[], body: string, seconds: number): string {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`,
  );
  return [`t=${seconds}`, ...signatures].join(',');
}
