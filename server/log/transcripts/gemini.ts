import { BadUserInputError } from '../../core/errors.ts';
import { apart } from '../../context/ownWords.ts';
import type { Draft } from './draft.ts';
import type { Reader } from './reader.ts';
import { arrayNamed, entriesOf, isBounded } from './json.ts';
import { shortHash, type Line } from './lines.ts';
import { fieldsOf, instantOf, isObject, listOf, tokensOf, type Fields } from './transcript.ts';

/** The document is in memory until it is read. Real sessions have less than a tenth of this. */
const maxCharacters = 16 * 1024 * 1024;
const maxMessages = 200_000;
const types: ReadonlySet<unknown> = new Set(['session', 'user', 'gemini', 'info', 'error', 'warning', 'tool_call']);
const writers = new Set(['write_file', 'replace', 'edit']);

/** Whether these first lines belong to a JSON document with `sessionId` and `messages`. */
export function isGeminiDocument(lines: Line[]): boolean {
  const begin = lines.map(({ text }) => (text ?? '').slice(0, 20_000)).join('\n');
  return (
    /^\{\s*"/.test(begin) &&
    /"sessionId":/.test(begin.slice(0, 4_000)) &&
    /"messages":\s*\[/.test(begin.slice(0, 20_000))
  );
}

/**
 * Yields the messages of a Gemini CLI session as lines, and each tool call as a line after its message: a call whose
 * result arrives later makes a new line. Yields null between other steps.
 * @throws BadUserInputError when the document cannot be parsed.
 */
export function* linesOfDocument(lines: readonly Line[]): Generator<Line | null> {
  const text = lines.map((line) => line.text ?? '').join('\n');
  if (text.length > maxCharacters || lines.some((line) => line.text === null))
    throw bad(`has more than ${maxCharacters} characters: it cannot be imported`);
  yield null;
  const from = arrayNamed(text, 'messages');
  if (from === null) throw bad('has no messages: send the file as the program wrote it');
  const messages: string[] = [];
  const entries = entriesOf(text, from);
  let next = entries.next();
  for (; next.done !== true; next = entries.next()) {
    if (messages.push(next.value) > maxMessages)
      throw bad(`has more than ${maxMessages} messages: it cannot be imported`);
    yield null;
  }
  if (next.value === null) throw bad('is no valid JSON: send the whole file');
  const session = fieldsOf(parsed(`${text.slice(0, from)}[]${text.slice(next.value + 1)}`));
  delete session['messages'];
  yield lineOf({ ...session, type: 'session' });
  for (const message of messages) {
    const entry = parsed(message);
    yield null;
    if (!isObject(entry)) {
      yield lineOf(entry);
      continue;
    }
    const { toolCalls, ...fields } = entry;
    yield lineOf({ ...fields, session: session['sessionId'] });
    for (const call of listOf(toolCalls))
      yield lineOf({
        type: 'tool_call',
        session: session['sessionId'],
        message: fields['id'],
        model: fields['model'],
        call,
      });
  }
}

const bad = (why: string): BadUserInputError =>
  new BadUserInputError(`input.content is a session of Gemini CLI that ${why}`, ['input', 'content']);

function parsed(json: string): unknown {
  if (!isBounded(json)) throw bad('has a message with too many values or levels: it cannot be imported');
  try {
    return JSON.parse(json);
  } catch {
    throw bad('is no valid JSON: send the whole file');
  }
}

function lineOf(entry: unknown): Line {
  const text = JSON.stringify(entry);
  return { text, hash: () => shortHash(text) };
}

/** Reads sessions of Gemini CLI, as the lines of `linesOfDocument`. */
export function geminiReader(draft: Draft, sidechainFile: boolean): Reader {
  const subtask = sidechainFile ? { kind: 'SUBTASK' as const } : {};
  const id = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    knows: ({ type }) => types.has(type),
    typeOf: ({ type }) => type,
    keyOf: ({ type, session, id: message, message: of, call }) => {
      const { id: callId, status } = fieldsOf(call);
      if (type === 'tool_call') return shortHash(`gemini ${id(session)} ${id(of)} ${id(callId)} ${id(status)}`);
      return typeof message === 'string' ? shortHash(`gemini ${id(session)} ${message}`) : null;
    },
    at: ({ timestamp, startTime, call }) => instantOf(timestamp ?? startTime ?? fieldsOf(call)['timestamp']),
    read(entry, place) {
      if (sidechainFile) draft.counts.sidechainLines += 1;
      const texts = textsOf(entry['content']);
      if (entry['type'] === 'user') {
        // Slash commands are not messages of a person.
        if (sidechainFile || /^\s*[/?][a-z]*\s*$/.test(texts.join('')))
          draft.addMessage('SYSTEM', texts, place, subtask);
        else {
          const { own, program } = apart(texts);
          if (own.length > 0) draft.addPersonMessage(own, place);
          draft.addMessage('SYSTEM', program, place);
        }
      } else if (entry['type'] === 'gemini') {
        const key = id(entry['id']) || `line ${draft.lines[place.line]!.key}`;
        draft.assistant(key);
        draft.addMessage(sidechainFile ? 'TOOL' : 'ASSISTANT', texts, place, { id: key, ...subtask });
        draft.counts.thinkingBlocks += listOf(entry['thoughts']).length;
        use(entry, key);
      } else if (entry['type'] === 'tool_call') {
        const { id: callId, name, args, status, result, resultDisplay } = fieldsOf(entry['call']);
        const { file_path, absolute_path } = fieldsOf(args);
        draft.call(
          callId,
          name,
          args,
          typeof name === 'string' && writers.has(name) ? [file_path ?? absolute_path] : [],
          place,
          id(entry['message']),
        );
        if (status === 'success' || status === 'error' || status === 'cancelled') {
          const text = answerOf(result) || (typeof resultDisplay === 'string' ? resultDisplay : '');
          draft.answer(
            callId,
            { text, failed: status !== 'success' || /^Exit Code: [1-9-]/m.test(text.slice(-2_000)) },
            place,
          );
          if (name === 'write_todos' && status === 'success' && !sidechainFile)
            draft.setTasks(
              listOf(fieldsOf(args)['todos'])
                .map(fieldsOf)
                .filter((todo) => todo['status'] !== 'cancelled')
                .map((todo) => ({ content: todo['description'], status: todo['status'] })),
              place,
            );
        }
      } else {
        draft.addMessage('SYSTEM', texts, place, { kind: entry['type'] === 'error' ? 'ERROR' : 'STATUS' });
      }

      function use({ tokens, model }: Fields, key: string): void {
        if (!isObject(tokens)) return;
        const cached = tokensOf(tokens['cached']);
        const used = {
          inputTokens: Math.max(0, tokensOf(tokens['input']) - cached) + tokensOf(tokens['tool']),
          outputTokens: tokensOf(tokens['output']) + tokensOf(tokens['thoughts']),
          cacheCreationInputTokens: 0,
          cacheReadInputTokens: cached,
        };
        // A sub-agent has its own window.
        if (!sidechainFile) draft.reportWindow(used, place);
        draft.setUsage(
          `gemini ${key}`,
          used,
          typeof model === 'string' ? draft.clean.name(model, 'unknown') : null,
          place,
        );
      }
    },
  };
}

const textsOf = (content: unknown): string[] =>
  typeof content === 'string'
    ? [content]
    : (Array.isArray(content) ? content : [content]).flatMap((part) =>
        typeof fieldsOf(part)['text'] === 'string' ? [fieldsOf(part)['text'] as string] : [],
      );

function answerOf(result: unknown): string {
  return listOf(result)
    .flatMap((part) => {
      const { output, error } = fieldsOf(fieldsOf(fieldsOf(part)['functionResponse'])['response']);
      return [output, error, fieldsOf(part)['text']].filter((text): text is string => typeof text === 'string');
    })
    .join('\n');
}
