import { editsIn } from '../../context/derive/textEdits.ts';
import type { Draft, Place } from './draft.ts';
import { shortHash } from './lines.ts';
import type { Blocks, Reader } from './reader.ts';
import { addSaid, interruption } from './said.ts';
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
  let isRefusal = false;

  function* flush(): Generator<Fields> {
    const text = lines.join('\n').trim();
    if (text !== '') yield { type, text, startedAt };
    [lines, isCode] = [[], false];
  }

  return {
    *take(line) {
      const begun = start.exec(line);
      const mark = markOf(line, isCode);
      if (isRefusal && mark === null && begun === null) {
        yield { type: 'tool', text: line.trim(), startedAt };
        isRefusal = !endsRefusal.test(line);
        return;
      }
      isRefusal = mark === 'tool' && beginsRefusal.test(line);
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

/** Newer versions write a refusal of several lines with one mark, and two spaces after its last line only. */
const beginsRefusal = /^> # \d+ SEARCH\/REPLACE blocks? failed to match!\r?$/;
const endsRefusal = / {2}\r?$|^Just reply with fixed versions of /;

function markOf(line: string, isCode: boolean): 'user' | 'tool' | null {
  if (isCode && !/ {2}\r?$/.test(line)) return null;
  // Aider ends each line that a person typed with two spaces; a heading of an answer has none.
  return /^####( .*)? {2}\r?$/.test(line) ? 'user' : /^>( |\r?$)/.test(line) ? 'tool' : null;
}

/** Texts that Aider sends in a person's place. */
const ofTheProgram =
  /^(# Fix any errors below|I ran this command:|The LLM did not conform|# \d+ SEARCH\/REPLACE block|<blank>$)/;
/** Commands of which the words are for the model. */
const asks = /^\/(ask|code|architect|context)\s+(?=\S)/;

const unmatched = /^#* ?SearchReplaceNoExactMatch: .* match lines in (.+)$/;
const othersApplied = /^# The other \d+ SEARCH\/REPLACE blocks? (?:was|were) applied successfully/;
const maxRefusalLines = 500;
function timesOf(paths: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const path of paths) times.set(path, (times.get(path) ?? 0) + 1);
  return times;
}

/** The lines of a refusal that are of a file, from its heading on. */
function reasonFor(path: string, lines: readonly string[]): string {
  let isOf = false;
  return lines
    .filter((line) => {
      const of = unmatched.exec(line)?.[1];
      isOf = of === undefined ? isOf && !/^(?:# |The SEARCH section must )/.test(line) : of === path;
      return isOf;
    })
    .join('\n')
    .trim();
}

/** Reads Aider's history, as the entries of `aiderBlocks`. Edits and commands that it tells of count as calls; it keeps no output of commands. */
export function aiderReader(draft: Draft, sidechainFile: boolean): Reader {
  let model: string | null = null;
  let last: string | null = null;
  /** Files that the last answer edits, one a block. */
  let edits: string[] = [];
  let refusal: { place: Place; lines: string[] } | null = null;
  const subtask = sidechainFile ? { kind: 'SUBTASK' as const } : {};

  function user(text: string, place: Place): void {
    const words = text.replace(asks, '');
    if (ofTheProgram.test(words) || /^[/!]/.test(words)) draft.addMessage('SYSTEM', [text], place, { kind: 'STATUS' });
    else if (sidechainFile) draft.addMessage('SYSTEM', [words], place, subtask);
    else addSaid(draft, [words], place);
  }

  function assistant(text: string, place: Place): void {
    last = `line ${draft.lines[place.line]!.key}`;
    edits = editsIn(text.split('\n')).map(({ path }) => path);
    draft.assistant(last);
    draft.addMessage(sidechainFile ? 'TOOL' : 'ASSISTANT', [text], place, { id: last, ...subtask });
  }

  function edit(id: string, path: string | null, outcome: { text: string; failed: boolean }, place: Place): void {
    draft.call(id, 'edit', path === null ? {} : { path }, path === null ? [] : [path], place, last);
    draft.answer(id, outcome, place);
  }

  /** What Aider said of an answer whose edits it did not apply, or not all of them. */
  function flush(): void {
    if (refusal === null) return;
    const { place, lines } = refusal;
    refusal = null;
    const id = `aider-${draft.lines[place.line]!.key}`;
    const text = lines.join('\n').trim();
    const failed = lines.flatMap((line) => unmatched.exec(line)?.[1] ?? []);
    const [written, refused] = [timesOf(edits), timesOf(failed)];
    if (lines.some((line) => othersApplied.test(line)))
      for (const [path, times] of written)
        if (times > (refused.get(path) ?? 0))
          edit(`${id}.${shortHash(path)}`, path, { text: `Applied other edits to ${path}`, failed: false }, place);
    if (failed.length === 0) {
      const only = written.size === 1 ? edits[0]! : null;
      edit(id, only, { text, failed: true }, place);
    }
    for (const [index, path] of [...refused.keys()].entries())
      edit(index === 0 ? id : `${id}.${index}`, path, { text: reasonFor(path, lines), failed: true }, place);
  }

  function notice(text: string, place: Place): void {
    const id = `aider-${draft.lines[place.line]!.key}`;
    const edited = /^Applied edit to (.+)$/.exec(text)?.[1];
    const ran = /^Running (.+)$/.exec(text)?.[1];
    const named = /^(?:Main model|Model): (\S+) with /.exec(text)?.[1];
    const commit = /^(?:Commit|Now at: ) ([0-9a-f]{7,40}) /.exec(text)?.[1];
    const folder = /^Git working dir: (.+)$/.exec(text)?.[1];
    if (edited !== undefined) edit(id, edited, { text, failed: false }, place);
    else if (/^Unable to (create|write) /.test(text)) edit(id, null, { text, failed: true }, place);
    else if (/^The LLM did not conform to the edit format/.test(text)) {
      flush();
      refusal = { place, lines: [text] };
    } else if (ran !== undefined) draft.call(id, 'shell', { command: ran }, [], place, last);
    else if (named !== undefined) model = draft.clean.name(named, 'unknown');
    else if (text.startsWith('Tokens: ')) used(text, place);
    else if (/^\^C again to exit$/.test(text)) draft.addMessage('SYSTEM', [interruption], place);
    else if (commit !== undefined || folder !== undefined) draft.setWorkspace({ folder, commit }, place);
    else if (refusal !== null && refusal.lines.length < maxRefusalLines && !/^https?:\S+$/.test(text))
      refusal.lines.push(text);
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
      if (type !== 'tool') flush();
      if (type === 'user') user(text, place);
      else if (type === 'assistant') assistant(text, place);
      else notice(text, place);
    },
    end: flush,
  };
}
