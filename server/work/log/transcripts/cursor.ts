import { patchedIn } from './copilot.ts';
import type { Draft, Place } from './draft.ts';
import type { Reader } from './reader.ts';
import { addSaid, textsOf, withExitCode } from './said.ts';
import { fieldsOf, isObject, listOf, tokensOf, type Fields } from './transcript.ts';

const types: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'thinking', 'tool_call', 'result']);
/** Fields of Claude Code's lines, which have the same types. */
const foreign = ['uuid', 'sessionId', 'parent_tool_use_id', 'tools'];

/** An event of `cursor-agent --output-format stream-json`, or a line of a transcript that it keeps: `{ role, message }`. */
export const isCursor = (entry: Fields): boolean =>
  entry['type'] === undefined
    ? (entry['role'] === 'user' || entry['role'] === 'assistant') && isObject(entry['message'])
    : types.has(entry['type']) && typeof entry['session_id'] === 'string' && !foreign.some((name) => name in entry);

/** The tool's name as a model calls it: `shellToolCall` is Shell. */
const names: Record<string, string> = { updateTodos: 'TodoWrite', semSearch: 'SemanticSearch' };
const writers = new Set(['Write', 'Edit', 'Delete', 'StrReplace', 'EditNotebook', 'MultiEdit', 'ApplyPatch']);

export function cursorReader(draft: Draft, sidechainFile: boolean): Reader {
  const subtask = sidechainFile ? { kind: 'SUBTASK' as const } : {};
  let model: string | null = null;
  let last = '';
  /** Parts of an answer that came one by one; the whole answer follows. */
  let pending = '';

  function user(texts: string[], place: Place): void {
    // The program puts a person's words into an element.
    const words = texts.map((text) => /^\s*<user_query>\n?([^]*?)\n?<\/user_query>\s*$/.exec(text)?.[1] ?? text);
    if (sidechainFile) draft.addMessage('SYSTEM', words, place, subtask);
    else addSaid(draft, words, place);
  }

  function assistant(texts: string[], place: Place): void {
    last = `line ${draft.lines[place.line]!.key}`;
    draft.assistant(last);
    draft.addMessage(sidechainFile ? 'TOOL' : 'ASSISTANT', texts, place, { id: last, ...subtask });
  }

  function flush(place: Place): void {
    if (pending.trim() !== '') assistant([pending], place);
    pending = '';
  }

  /** A message in blocks, as the kept transcripts have it. */
  function blocks(content: unknown, role: unknown, place: Place): void {
    const texts = textsOf(typeof content === 'string' ? content : listOf(content).filter((part) => !isTool(part)));
    if (role === 'user') user(texts, place);
    else if (texts.length > 0) assistant(texts, place);
    for (const [at, block] of listOf(content).map(fieldsOf).entries()) {
      const { type, id, name, input, tool_use_id, content: output, is_error } = block;
      const key = id ?? `${draft.lines[place.line]!.key}-${at}`;
      if (type === 'tool_use') call(key, typeof name === 'string' ? name : 'unknown', input, place);
      else if (type === 'tool_result')
        draft.answer(tool_use_id, { text: textsOf(output).join('\n'), failed: is_error === true }, place);
    }
  }

  function call(id: unknown, name: string, args: unknown, place: Place): void {
    const { path, filePath, file_path, targetFile, target_file, todos } = fieldsOf(args);
    const file = path ?? filePath ?? file_path ?? targetFile ?? target_file;
    draft.call(id, name, args, writers.has(name) && file !== undefined ? [file] : patchedIn(args), place, last || null);
    if (name !== 'TodoWrite' || sidechainFile) return;
    draft.setTasks(
      listOf(todos)
        .map(fieldsOf)
        .map(({ content, status }) => ({
          content,
          status: typeof status === 'string' ? status.replace(/^TODO_STATUS_/, '').toLowerCase() : status,
        })),
      place,
    );
  }

  function toolCall({ subtype, call_id: id, tool_call: made }: Fields, place: Place): void {
    const [[key, body] = ['unknown', {}]] = Object.entries(fieldsOf(made)).filter(([, value]) => isObject(value));
    const { args, result, name, arguments: given } = fieldsOf(body);
    const short = key.replace(/ToolCall$/, '');
    const tool =
      key === 'function' && typeof name === 'string'
        ? name
        : (names[short] ?? short.charAt(0).toUpperCase() + short.slice(1));
    call(id, tool, args ?? given, place);
    if (subtype === 'completed') draft.answer(id, outcomeOf(result), place);
  }

  return {
    knows: (entry) => isCursor({ session_id: '', ...entry }),
    typeOf: ({ type, role, subtype }) =>
      type === undefined ? role : typeof subtype === 'string' && typeof type === 'string' ? `${type}/${subtype}` : type,
    keyOf: () => null,
    at: ({ timestamp_ms: ms }) => (typeof ms === 'number' && ms > 0 && ms < 253_402_300_800_000 ? new Date(ms) : null),
    read(entry, place) {
      if (sidechainFile) draft.counts.sidechainLines += 1;
      const { type, role, message, subtype } = entry;
      const { content } = fieldsOf(message);
      if (type === undefined) blocks(content, role, place);
      else if (type === 'system') {
        draft.setWorkspace({ folder: entry['cwd'] }, place);
        model = typeof entry['model'] === 'string' ? draft.clean.name(entry['model'], 'unknown') : model;
      } else if (type === 'user') {
        flush(place);
        user(textsOf(content), place);
      } else if (type === 'assistant') {
        const text = textsOf(content).join('');
        const isPart = 'timestamp_ms' in entry && !('model_call_id' in entry);
        if (isPart) pending += text;
        else {
          if (!pending.includes(text) && !text.includes(pending)) flush(place);
          pending = '';
          assistant([text], place);
        }
      } else if (type === 'tool_call') {
        flush(place);
        toolCall(entry, place);
      } else if (type === 'thinking' && subtype === 'completed') draft.counts.thinkingBlocks += 1;
      else if (type === 'result') {
        flush(place);
        const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = fieldsOf(entry['usage']);
        const tokens = {
          inputTokens: tokensOf(inputTokens),
          outputTokens: tokensOf(outputTokens),
          cacheCreationInputTokens: tokensOf(cacheWriteTokens),
          cacheReadInputTokens: tokensOf(cacheReadTokens),
        };
        draft.setUsage(`cursor ${draft.lines[place.line]!.key}`, tokens, model, place);
        if (entry['is_error'] === true && typeof entry['result'] === 'string')
          draft.addMessage('SYSTEM', [entry['result']], place, { kind: 'ERROR' });
      }
    },
  };
}

const isTool = (part: unknown): boolean => /^tool_(use|result)$/.test(String(fieldsOf(part)['type']));

/** A result has one field, which names how the call ended. */
function outcomeOf(result: unknown): { text: string; failed: boolean } {
  const [ending = 'success', value] =
    Object.entries(fieldsOf(result)).find(([, each]) => isObject(each) || typeof each === 'string') ?? [];
  const { exitCode, stdout, stderr, interleavedOutput, content, message, error, errorMessage } = fieldsOf(value);
  const streams = [stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n');
  const said = [interleavedOutput, streams, content, message, error, errorMessage, value].find(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  const failed = ending !== 'success';
  const text = withExitCode(exitCode, said ?? (isObject(value) ? JSON.stringify(value) : ''));
  return { text: failed && said === undefined ? `${ending}: ${text}` : text, failed };
}
