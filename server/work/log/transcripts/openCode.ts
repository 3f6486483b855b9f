import { typedFor } from '../../context/ownWords.ts';
import { savedPromptIn } from '../../context/savedPrompt.ts';
import type { Draft, Place } from './draft.ts';
import { shortHash } from './lines.ts';
import type { Reader } from './reader.ts';
import { addSaid, interruption, withExitCode } from './said.ts';
import { fieldsOf, isObject, listOf, tokensOf, type Fields } from './transcript.ts';

const types: ReadonlySet<unknown> = new Set(
  'session message stop text reasoning file tool step-start step-finish snapshot patch agent retry compaction subtask'.split(
    ' ',
  ),
);
/** The error of an answer that a person stopped. */
const aborted = 'MessageAbortedError';
const writers = new Set(['write', 'edit', 'multiedit', 'patch']);

/** What `opencode export` writes: a session and its messages. */
export const isOpenCodeDocument = ({ info }: Fields): boolean => isObject(info) && typeof info['id'] === 'string';

/** What `opencode run --format json` prints: one part a line, without the prompt. */
export const isOpenCode = ({ type, sessionID, part }: Fields): boolean =>
  typeof type === 'string' && typeof sessionID === 'string' && isObject(part);

/** The entries of a message: itself, and each of its parts. */
export function openCodeParts(entry: Fields, head: Fields): Fields[] {
  if (isObject(entry['part'])) return [{ type: 'part', part: entry['part'], message: { role: 'assistant' } }];
  const { info, parts } = entry;
  if (!isObject(info)) return [entry];
  if (entry === head && parts === undefined) return [{ type: 'session', info }];
  // A stop comes after what it stopped.
  const stop = fieldsOf(info['error'])['name'] === aborted ? [{ type: 'stop', info }] : [];
  return [{ type: 'message', info }, ...listOf(parts).map((part) => ({ type: 'part', part, message: info })), ...stop];
}

/** Reads sessions of OpenCode as the entries of `openCodeParts`, by the types of its SDK. */
export function openCodeReader(draft: Draft, sidechainFile: boolean): Reader {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  /** The message of the session from which on a person took the work back. */
  let revertedFrom = '';
  let isReverted = false;

  function message(info: Fields, place: Place): void {
    isReverted ||= revertedFrom !== '' && info['id'] === revertedFrom;
    if (info['role'] !== 'assistant') return;
    const id = text(info['id']);
    draft.assistant(id);
    const { input, output, reasoning, cache } = fieldsOf(info['tokens']);
    const used = {
      inputTokens: tokensOf(input),
      outputTokens: tokensOf(output) + tokensOf(reasoning),
      cacheCreationInputTokens: tokensOf(fieldsOf(cache)['write']),
      cacheReadInputTokens: tokensOf(fieldsOf(cache)['read']),
    };
    if (!sidechainFile) draft.reportWindow(used, place);
    const model = typeof info['modelID'] === 'string' ? draft.clean.name(info['modelID'], 'unknown') : null;
    draft.setUsage(`opencode ${id}`, used, model, place);
    draft.setWorkspace({ folder: fieldsOf(info['path'])['cwd'] }, place);
    const { name, data } = fieldsOf(info['error']);
    if (typeof name === 'string' && name !== aborted)
      draft.addMessage('SYSTEM', [`${name}: ${text(fieldsOf(data)['message'])}`], place, { kind: 'ERROR' });
  }

  function said(part: Fields, info: Fields, place: Place): void {
    const texts = [text(part['text'])];
    if (isReverted) draft.addMessage('SYSTEM', texts, place, { kind: 'STATUS' });
    else if (info['role'] === 'assistant') {
      const id = idOf(info['id']) || idOf(part['messageID']) || `line ${draft.lines[place.line]!.key}`;
      draft.assistant(id);
      // The summary of a compacted window is written by the model for itself.
      if (info['summary'] === true) draft.addMessage('SYSTEM', texts, place, { kind: 'STATUS' });
      else
        draft.addMessage(sidechainFile ? 'TOOL' : 'ASSISTANT', texts, place, {
          id,
          ...(sidechainFile && { kind: 'SUBTASK' as const }),
        });
    } else if (sidechainFile) draft.addMessage('SYSTEM', texts, place, { kind: 'SUBTASK' });
    // The program adds files and notices to a prompt.
    else if (part['synthetic'] === true || part['ignored'] === true) draft.addMessage('SYSTEM', texts, place);
    else addSaid(draft, texts, place);
  }

  /** A command that a sub-agent runs: the person typed its name, and the program wrote the prompt. */
  function commanded({ command, prompt }: Fields, place: Place): void {
    const name = text(command).replace(/^\//, '');
    const typed = typedFor(text(prompt)) ?? `/${name} ${savedPromptIn(text(prompt))?.words ?? ''}`.trim();
    if (name !== '' && !sidechainFile && !isReverted) addSaid(draft, [typed], place);
    draft.addMessage('SYSTEM', [text(prompt)], place, { kind: 'SUBTASK' });
  }

  function tool(part: Fields, info: Fields, place: Place): void {
    const { callID, tool: name, state } = part;
    const { status, input, output, error, metadata, time } = fieldsOf(state);
    const { start, end } = fieldsOf(time);
    const { filePath, path } = fieldsOf(input);
    const { exit, files } = fieldsOf(metadata);
    const written =
      typeof name === 'string' && writers.has(name)
        ? [filePath ?? path]
        : listOf(files).map((file) => (typeof file === 'string' ? file : fieldsOf(file)['filePath']));
    const key = text(callID) || text(part['id']);
    const begun = instant(start) ?? place.at;
    draft.call(key, name, input, written, { ...place, at: begun }, text(info['id']) || text(part['messageID']) || null);
    if (status !== 'completed' && status !== 'error') return;
    const failed = status === 'error';
    draft.answer(
      key,
      { text: failed ? text(error) : withExitCode(exit, text(output)), failed },
      { ...place, at: instant(end) },
    );
    if (name === 'todowrite' && !failed && !sidechainFile)
      draft.setTasks(
        listOf(fieldsOf(input)['todos'])
          .map(fieldsOf)
          .filter((todo) => todo['status'] !== 'cancelled')
          .map(({ content, status: done }) => ({ content, status: done })),
        place,
      );
  }

  return {
    knows: ({ type, part }) => types.has(type === 'part' ? fieldsOf(part)['type'] : type),
    typeOf: ({ type, part }) => (type === 'part' ? fieldsOf(part)['type'] : type),
    keyOf: ({ type, info, part }) => {
      const id = idOf(fieldsOf(type === 'part' ? part : info)['id']);
      const { status } = fieldsOf(fieldsOf(part)['state']);
      return id === '' ? null : shortHash(`opencode ${String(type)} ${id} ${text(status)}`);
    },
    at: ({ info, part, message: of }) => {
      const { start, created } = fieldsOf(fieldsOf(part ?? info)['time']);
      return instant(start ?? created ?? fieldsOf(fieldsOf(of)['time'])['created']);
    },
    read({ type, info, part, message: of }, place) {
      if (sidechainFile) draft.counts.sidechainLines += 1;
      if (type === 'session') {
        const { title, directory, revert } = fieldsOf(info);
        if (!/^(New session|Child session) - /.test(text(title))) draft.name(title);
        draft.setWorkspace({ folder: directory }, place);
        revertedFrom = text(fieldsOf(revert)['messageID']);
      } else if (type === 'message') message(fieldsOf(info), place);
      else if (type === 'stop')
        draft.addMessage('SYSTEM', [interruption], place, sidechainFile ? { kind: 'SUBTASK' } : {});
      else {
        const { type: kind } = fieldsOf(part);
        if (kind === 'text') said(fieldsOf(part), fieldsOf(of), place);
        else if (kind === 'subtask') commanded(fieldsOf(part), place);
        else if (kind === 'tool') tool(fieldsOf(part), fieldsOf(of), place);
        else if (kind === 'reasoning') draft.counts.thinkingBlocks += 1;
        else if (kind === 'compaction') draft.compact(place);
      }
    },
  };
}

/** Empty for a word in place of an id: exports with blacked-out secrets have the same one many times. */
const idOf = (id: unknown): string => (typeof id === 'string' && /^[a-z]+_\w/.test(id) ? id : '');

/** A time in milliseconds. */
function instant(value: unknown): Date | null {
  return typeof value === 'number' && value > 0 && value < 253_402_300_800_000 ? new Date(value) : null;
}
