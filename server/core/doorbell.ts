/** What moved: the order over all events to a position, an agent's inbox to a number, or a key that has ended. */
export type Hint =
  | { about: 'all'; number: number }
  | { about: 'inbox'; agentId: string; number: number }
  | { about: 'key'; keyId: string };

export interface DoorbellListener {
  /** A hint may be lost, repeated, late or made up: it says where to look, and nothing about what is there. */
  heard(hint: Hint): void;
  /** Hints may have been missed until now: look everywhere. */
  missed(): void;
}

/** Tells server processes that there is something new in the database, which alone says what it is. */
export interface Doorbell {
  /** After the commit. Returns at once and never throws: a hint that does not arrive costs time, and nothing else. */
  ring(hints: readonly Hint[]): void;
  /** Returns how to stop. */
  listen(listener: DoorbellListener): () => void;
  /** Whether there may be listeners in other processes. */
  readonly shared: boolean;
  /** Whether hints of all other processes arrive at present; if not, they are to be looked for in the database. */
  readonly hears: boolean;
  close(): Promise<void>;
}

/** The most that a message may hold. */
export const messageBytes = 100;

const line = (hint: Hint): string => {
  if (hint.about === 'all') return `all ${hint.number}`;
  return hint.about === 'inbox' ? `inbox ${hint.agentId} ${hint.number}` : `key ${hint.keyId}`;
};

/** Hints as messages of less than `messageBytes`, as few as they fit into. */
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

/** What a message hints at; what is no hint is left out. */
export function fromMessage(message: string): Hint[] {
  if (message.length >= messageBytes) return [];
  return message.split('\n').flatMap((text): Hint[] => {
    const [, all, position, agentId, number, keyId] = hintPattern.exec(text) ?? [];
    if (all !== undefined) return [{ about: 'all', number: Number(position) }];
    if (agentId !== undefined) return [{ about: 'inbox', agentId, number: Number(number) }];
    return keyId === undefined ? [] : [{ about: 'key', keyId }];
  });
}
