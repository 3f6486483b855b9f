import type { Hint, Role, UsedTokens } from '../../core/work.ts';

/** Longer messages are ignored, but for those about rates. */
const messageBytes = 100;
/** Room for the counts of a message about rates: 20 callers and more. */
const usedBytes = 2_000;

const line = (hint: Exclude<Hint, { about: 'rates' }>): string => {
  if (hint.about === 'all') return `all ${hint.number}`;
  return hint.about === 'inbox' ? `inbox ${hint.agentId} ${hint.number}` : `key ${hint.keyId}`;
};

/** Packs hints into as few messages as possible. */
export function toMessages(hints: readonly Hint[]): string[] {
  const messages: string[] = [];
  const rates = hints.filter((hint) => hint.about === 'rates');
  for (const text of new Set(hints.filter((hint) => hint.about !== 'rates').map(line))) {
    const last = messages.at(-1);
    if (last !== undefined && last.length + 1 + text.length < messageBytes)
      messages[messages.length - 1] = `${last}\n${text}`;
    else messages.push(text);
  }
  return [...messages, ...rates.flatMap(({ process, used }) => messagesOfRates(process, used))];
}

function messagesOfRates(process: string, used: readonly UsedTokens[]): string[] {
  const messages: string[] = [];
  for (const { principal, role, kind, tokens } of used) {
    const text = `\n${principal} ${role} ${kind} ${tokens}`;
    if (messages.length === 0 || messages.at(-1)!.length + text.length > usedBytes) messages.push(`rates ${process}`);
    messages[messages.length - 1] += text;
  }
  return messages;
}

const hintPattern = /^(?:(all) (\d{1,15})|inbox ([a-z0-9_-]{1,52}) (\d{1,9})|key ([0-9a-f-]{36}))$/;

const ratesPattern = /^rates ([0-9a-f]{12})\n/;
const usedPattern = /^([a-z0-9_]{1,40}) (ADMIN|OPERATOR|AGENT|ANALYST) (read|write) (\d{1,9})$/;

function usedOf(line: string): UsedTokens[] {
  const [, principal, role, kind, tokens] = usedPattern.exec(line) ?? [];
  return principal === undefined
    ? []
    : [{ principal, role: role as Role, kind: kind as UsedTokens['kind'], tokens: Number(tokens) }];
}

/** Reads the hints of a message and ignores everything else. */
export function fromMessage(message: string): Hint[] {
  const [, process] = ratesPattern.exec(message) ?? [];
  if (process !== undefined && message.length <= usedBytes)
    return [{ about: 'rates', process, used: message.split('\n').slice(1).flatMap(usedOf) }];
  if (message.length >= messageBytes) return [];
  return message.split('\n').flatMap((text): Hint[] => {
    const [, all, position, agentId, number, keyId] = hintPattern.exec(text) ?? [];
    if (all !== undefined) return [{ about: 'all', number: Number(position) }];
    if (agentId !== undefined) return [{ about: 'inbox', agentId, number: Number(number) }];
    return keyId === undefined ? [] : [{ about: 'key', keyId }];
  });
}
