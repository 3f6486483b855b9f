import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Draft, Place } from './draft.ts';
import { shortHash } from './lines.ts';
import type { Reader } from './reader.ts';
import { addSaid, interruption, textsOf } from './said.ts';
import { fieldsOf, instantOf, isObject, listOf, tokensOf, type Fields, type MessageEntry } from './transcript.ts';

const messageTypes: ReadonlySet<unknown> = new Set(['user', 'gemini', 'info', 'error', 'warning']);
const ownTypes: ReadonlySet<unknown> = new Set(['session', 'tool_call', 'rewind', 'checkpoint']);
const { dirname, isAbsolute } = posix;
/** A path has no more folders. */
const maxFolders = 40;
const writers = new Set(['write_file', 'replace', 'edit']);

/** A session of Gemini CLI before 0.40: one document. */
export const isGeminiDocument = ({ sessionId }: Fields): boolean => typeof sessionId === 'string';

/** A line of a session of 0.40 and later: the session, a message as it is now, an update, or a way back. */
export const isGemini = (entry: Fields): boolean =>
  (typeof entry['sessionId'] === 'string' && typeof entry['projectHash'] === 'string') ||
  isObject(entry['$set']) ||
  typeof entry['$rewindTo'] === 'string' ||
  (messageTypes.has(entry['type']) &&
    typeof entry['id'] === 'string' &&
    typeof entry['timestamp'] === 'string' &&
    'content' in entry);

/**
 * The entries of a line or a message: a message, and each of its tool calls, so that a call whose result arrives later makes a new
 * entry.
 */
export function geminiParts(entry: Fields, head: Fields): Fields[] {
  const { sessionId: session } = head;
  if (typeof entry['$rewindTo'] === 'string') return [{ type: 'rewind', to: entry['$rewindTo'] }];
  const update = entry['$set'];
  if (isObject(update)) {
    const { messages, ...fields } = update;
    return [{ ...fields, type: 'session' }, ...(Array.isArray(messages) ? [{ type: 'checkpoint', messages }] : [])];
  }
  if (typeof entry['id'] !== 'string' && typeof entry['sessionId'] === 'string') return [{ ...entry, type: 'session' }];
  const { toolCalls, ...fields } = entry;
  const { id: message, model } = fields;
  return [
    { ...fields, session },
    ...listOf(toolCalls).map((call) => ({ type: 'tool_call', session, message, model, call })),
  ];
}

/** Reads sessions of Gemini CLI, as the entries of `geminiParts`. */
export function geminiReader(draft: Draft, sidechainFile: boolean): Reader {
  const id = (value: unknown): string => (typeof value === 'string' ? value : '');
  let sidechain = sidechainFile;
  /** Hash of the folder, while it is not known. */
  let projectHash = '';
  /** The messages of the conversation as it is now, in order, with what of them is in the log. */
  const messages = new Map<string, MessageEntry[]>();
  /** Messages whose tokens are known: a message may be written before them. */
  const counted = new Set<string>();

  function user(entry: Fields, place: Place): (MessageEntry | null)[] {
    const shown = textsOf(entry['displayContent']);
    const texts = shown.length > 0 ? shown : textsOf(entry['content']);
    // Slash commands are not messages of a person.
    if (sidechain || /^\s*[/?][a-z]*\s*$/.test(texts.join('')))
      return [draft.addMessage('SYSTEM', texts, place, sidechain ? { kind: 'SUBTASK' } : {})];
    return addSaid(draft, texts, place);
  }

  function gemini(entry: Fields, key: string, place: Place): (MessageEntry | null)[] {
    draft.assistant(key);
    const content = Array.isArray(entry['content'])
      ? (entry['content'] as unknown[]).filter((part) => fieldsOf(part)['thought'] !== true)
      : entry['content'];
    draft.counts.thinkingBlocks += listOf(entry['thoughts']).length;
    return [
      draft.addMessage(sidechain ? 'TOOL' : 'ASSISTANT', textsOf(content), place, {
        id: key,
        ...(sidechain && { kind: 'SUBTASK' as const }),
      }),
    ];
  }

  function notice({ type, content }: Fields, place: Place): MessageEntry | null {
    const texts = textsOf(content);
    const isStop = type === 'info' && /^Request cancelled\.?$/.test(texts.join('').trim());
    return draft.addMessage('SYSTEM', isStop ? [interruption] : texts, place, {
      kind: type === 'error' ? 'ERROR' : 'STATUS',
    });
  }

  function use({ tokens, model }: Fields, key: string, place: Place): void {
    if (!isObject(tokens)) return;
    const cached = tokensOf(tokens['cached']);
    const used = {
      inputTokens: Math.max(0, tokensOf(tokens['input']) - cached) + tokensOf(tokens['tool']),
      outputTokens: tokensOf(tokens['output']) + tokensOf(tokens['thoughts']),
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: cached,
    };
    // A sub-agent has its own window.
    if (!sidechain) draft.reportWindow(used, place);
    draft.setUsage(`gemini ${key}`, used, typeof model === 'string' ? draft.clean.name(model, 'unknown') : null, place);
  }

  /** Versions before 0.40 store no folder, but its hash: the folder above a named file that has it. */
  function findFolder(path: unknown, place: Place): void {
    if (projectHash === '' || typeof path !== 'string' || !isAbsolute(path)) return;
    for (let folder = dirname(path), depth = 0; depth < maxFolders; depth += 1) {
      if (createHash('sha256').update(folder).digest('hex') === projectHash) {
        draft.setWorkspace({ folder }, place);
        projectHash = '';
        return;
      }
      if (dirname(folder) === folder) return;
      folder = dirname(folder);
    }
  }

  function call(entry: Fields, place: Place): void {
    const { id: callId, name, args, status, result, resultDisplay } = fieldsOf(entry['call']);
    const { file_path, absolute_path, dir_path } = fieldsOf(args);
    findFolder(file_path ?? absolute_path ?? dir_path, place);
    draft.call(
      callId,
      name,
      args,
      typeof name === 'string' && writers.has(name) ? [file_path ?? absolute_path] : [],
      place,
      id(entry['message']),
    );
    if (status !== 'success' && status !== 'error' && status !== 'cancelled') return;
    const text = answerOf(result) || (typeof resultDisplay === 'string' ? resultDisplay : '');
    const failed = status !== 'success' || /^Exit Code: [1-9-]/m.test(text.slice(-2_000));
    draft.answer(callId, { text, failed, counts: status === 'error' }, place);
    if (name === 'write_todos' && status === 'success' && !sidechain)
      draft.setTasks(
        listOf(fieldsOf(args)['todos'])
          .map(fieldsOf)
          .filter((todo) => todo['status'] !== 'cancelled')
          .map((todo) => ({ content: todo['description'], status: todo['status'] })),
        place,
      );
  }

  /** A person went back to before a message. */
  function rewind(to: unknown): void {
    const known = [...messages.keys()];
    const from = known.indexOf(id(to));
    for (const key of known.slice(Math.max(0, from))) {
      for (const message of messages.get(key)!) draft.withdraw(message);
      messages.delete(key);
    }
  }

  /** The window was compressed: messages that the program wrote replace earlier ones. */
  function checkpoint(list: unknown, place: Place): void {
    const kept = listOf(list).map(fieldsOf);
    const isNew = kept.filter((message) => !messages.has(id(message['id'])));
    if (isNew.length > 0) draft.compact(place);
    for (const message of isNew) draft.addMessage('SYSTEM', textsOf(message['content']), place, { kind: 'STATUS' });
  }

  return {
    knows: ({ type }) => messageTypes.has(type) || ownTypes.has(type),
    typeOf: ({ type }) => type,
    keyOf: ({ type, session, id: message, message: of, call, tokens }) => {
      const { id: callId, status } = fieldsOf(call);
      if (type === 'tool_call') return shortHash(`gemini ${id(session)} ${id(of)} ${id(callId)} ${id(status)}`);
      if (typeof message !== 'string') return null;
      // A message comes again with each call, and with its tokens.
      const isRest = messages.has(message) && isObject(tokens) && !counted.has(message);
      return shortHash(`gemini ${id(session)} ${message}${isRest ? ' tokens' : ''}`);
    },
    at: ({ timestamp, startTime, call }) => instantOf(timestamp ?? startTime ?? fieldsOf(call)['timestamp']),
    read(entry, place) {
      const { type } = entry;
      if (type === 'session') {
        if (entry['kind'] === 'subagent') sidechain = true;
        draft.name(entry['summary']);
        draft.setWorkspace({ folder: listOf(entry['directories'])[0] }, place);
        if (typeof entry['projectHash'] === 'string' && listOf(entry['directories']).length === 0)
          projectHash = entry['projectHash'];
      }
      if (sidechain) draft.counts.sidechainLines += 1;
      if (type === 'session') return;
      if (type === 'rewind') return rewind(entry['to']);
      if (type === 'checkpoint') return checkpoint(entry['messages'], place);
      if (type === 'tool_call') return call(entry, place);
      const key = id(entry['id']) || `line ${draft.lines[place.line]!.key}`;
      if (!messages.has(key)) {
        const added =
          type === 'user' ? user(entry, place) : type === 'gemini' ? gemini(entry, key, place) : [notice(entry, place)];
        messages.set(
          key,
          added.filter((message) => message !== null),
        );
      }
      if (type !== 'gemini' || !isObject(entry['tokens'])) return;
      counted.add(key);
      use(entry, key, place);
    },
  };
}

function answerOf(result: unknown): string {
  return (Array.isArray(result) ? (result as unknown[]) : [result])
    .flatMap((part) => {
      const { output, error } = fieldsOf(fieldsOf(fieldsOf(part)['functionResponse'])['response']);
      return [typeof part === 'string' ? part : null, output, error, fieldsOf(part)['text']].filter(
        (text): text is string => typeof text === 'string',
      );
    })
    .join('\n');
}
