import type { Draft, Place } from './draft.ts';
import type { Blocks, Reader } from './reader.ts';
import { addSaid } from './said.ts';
import { instantOf, noTokens, type Fields } from './transcript.ts';

const start = /^# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$/;

/** Whether a line begins a chat in Aider's history. */
export const isAider = (line: string): boolean => start.test(line);

/**
 * Puts the lines of Aider's Markdown history together: words of a person (`#### `), notices of the program (`> `), and answers, which have no
 * mark. In an answer's code, only lines that end in two spaces are of others, as Aider writes them.
 */
export function aiderBlocks(): Blocks {
  let type: 'user' | 'assistant' = 'assistant';
  let lines: string[] = [];
  let isCode = false;
  let startedAt = '';

  function* flush(): Generator<Fields> {
    const text = lines.join('\n').trim();
    if (text !== '') yield { type, text, startedAt };
    [lines, isCode] = [[], false];
  }

  return {
    *take(line) {
      const begun = start.exec(line);
      const mark = markOf(line, isCode);
      if (begun !== null && !isCode) {
        yield* flush();
        startedAt = `${begun[1]!}T${begun[2]!}Z`;
        yield { type: 'session', startedAt };
      } else if (mark === 'tool') {
        yield* flush();
        yield { type: 'tool', text: line.slice(2).trim(), startedAt };
      } else if (mark === 'user') {
        if (type !== 'user') yield* flush();
        type = 'user';
        lines.push(line.slice(5).trimEnd());
      } else {
        if (type === 'user') yield* flush();
        type = 'assistant';
        if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
        lines.push(line.trimEnd());
      }
    },
    end: flush,
  };
}

function markOf(line: string, isCode: boolean): 'user' | 'tool' | null {
  if (isCode && !/ {2}\r?$/.test(line)) return null;
  return /^####( |\r?$)/.test(line) ? 'user' : /^>( |\r?$)/.test(line) ? 'tool' : null;
}

/** Texts that Aider sends in a person's place. */
const ofTheProgram =
  /^(# Fix any errors below|I ran this command:|The LLM did not conform|# \d+ SEARCH\/REPLACE block|<blank>$)/;
/** Commands of which the words are for the model. */
const asks = /^\/(ask|code|architect|context)\s+(?=\S)/;

/** Reads Aider's history, as the entries of `aiderBlocks`. Edits and commands that it tells of count as calls; it keeps no output of commands. */
export function aiderReader(draft: Draft, sidechainFile: boolean): Reader {
  let model: string | null = null;
  let last: string | null = null;
  const subtask = sidechainFile ? { kind: 'SUBTASK' as const } : {};

  function user(text: string, place: Place): void {
    const words = text.replace(asks, '');
    if (sidechainFile || ofTheProgram.test(words) || /^[/!]/.test(words))
      draft.addMessage('SYSTEM', [text], place, { kind: 'STATUS' });
    else addSaid(draft, [words], place);
  }

  function assistant(text: string, place: Place): void {
    last = `line ${draft.lines[place.line]!.key}`;
    draft.assistant(last);
    draft.addMessage(sidechainFile ? 'TOOL' : 'ASSISTANT', [text], place, { id: last, ...subtask });
  }

  function notice(text: string, place: Place): void {
    const id = `aider-${draft.lines[place.line]!.key}`;
    const call = (name: string, args: Fields, written: string[] = []): void =>
      draft.call(id, name, args, written, place, last);
    const edited = /^Applied edit to (.+)$/.exec(text)?.[1];
    const ran = /^Running (.+)$/.exec(text)?.[1];
    const named = /^(?:Main model|Model): (\S+) with /.exec(text)?.[1];
    if (edited !== undefined) {
      call('edit', { path: edited }, [edited]);
      draft.answer(id, { text, failed: false }, place);
    } else if (/^(The LLM did not conform to the edit format|Unable to (create|write) )/.test(text)) {
      call('edit', {});
      draft.answer(id, { text, failed: true }, place);
    } else if (ran !== undefined) call('shell', { command: ran });
    else if (named !== undefined) model = draft.clean.name(named, 'unknown');
    else if (text.startsWith('Tokens: ')) used(text, place);
  }

  /** Aider rounds the numbers: `3.4k sent`. */
  function used(text: string, place: Place): void {
    const count = (what: string): number => {
      const [, number, k] = new RegExp(`(?<![\\d.,])([\\d.,]+)(k?) ${what}`).exec(text) ?? [];
      return number === undefined ? 0 : Math.round(Number(number.replaceAll(',', '')) * (k === 'k' ? 1_000 : 1)) || 0;
    };
    const [sent, read] = [count('sent'), count('cache hit')];
    const tokens = {
      ...noTokens(),
      inputTokens: Math.max(0, sent - read),
      outputTokens: count('received'),
      cacheCreationInputTokens: count('cache write'),
      cacheReadInputTokens: read,
    };
    if (!sidechainFile) draft.reportWindow(tokens, place);
    draft.setUsage(`aider ${draft.lines[place.line]!.key}`, tokens, model, place);
  }

  return {
    knows: () => true,
    typeOf: ({ type }) => type,
    keyOf: () => null,
    at: ({ startedAt }) => instantOf(startedAt),
    read({ type, text }, place) {
      if (sidechainFile) draft.counts.sidechainLines += 1;
      if (typeof text !== 'string') return;
      if (type === 'user') user(text, place);
      else if (type === 'assistant') assistant(text, place);
      else notice(text, place);
    },
  };
}
