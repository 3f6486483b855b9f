import type { Hint } from '../core/work.ts';

/** Longer messages are ignored. */
const messageBytes = 100;

const line = (hint: Hint): string => {
  if (hint.about === 'all') return `all ${hint.number}`;
  return hint.about === 'inbox' ? `inbox ${hint.agentId} ${hint.number}` : `key ${hint.keyId}`;
};

/** Packs hints into as few messages as possible. */
export function toMessages(hints: readonly Hint[]): string[] {
  const messages: string[] = [];
  for (const text of new Set(hints.map(line))) {
    const last = messages.at(-1);
    if (last !== undefined && last.length + 1 + text.length < messageBytes) messages[messages.length - 1] = `${last}\n${text}`;
    else messages.push(text);
  }
  return messages;
}

const hintPattern = /^(?:(all) (\d{1,15})|inbox ([a-z0-9_-]{1,52}) (\d{1,9})|key ([0-9a-f-]{36}))$/;

/** Reads the hints of a message and ignores everything else. */
export function fromMessage(message: string): Hint[] {
  if (message.length >= messageBytes) return [];
  return message.split('\n').flatMap((text): Hint[] => {
    const [, all, position, agentId, number, keyId] = hintPattern.exec(text) ?? [];
    if (all !== undefined) return [{ about: 'all', number: Number(position) }];
    if (agentId !== undefined) return [{ about: 'inbox', agentId, number: Number(number) }];
    return keyId === undefined ? [] : [{ about: 'key', keyId }];
  });
}
