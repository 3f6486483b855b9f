import { apart } from '../../context/ownWords.ts';
import type { Draft } from './draft.ts';
import type { Reader } from './reader.ts';
import { shortHash } from './lines.ts';
import { fieldsOf, instantOf, isObject, listOf, tokensOf, type Fields } from './transcript.ts';

const types: ReadonlySet<unknown> = new Set(['session', 'user', 'gemini', 'info', 'error', 'warning', 'tool_call']);
const writers = new Set(['write_file', 'replace', 'edit']);

export const isGemini = ({ sessionId }: Fields): boolean => typeof sessionId === 'string';

/** The entries of a message: itself, and each of its tool calls, so that a call whose result arrives later makes a new entry. */
export function geminiParts(entry: Fields, head: Fields): Fields[] {
  if (entry === head && isGemini(head)) return [{ ...head, type: 'session' }];
  const { toolCalls, ...fields } = entry;
  const { sessionId: session } = head;
  const { id: message, model } = fields;
  return [
    { ...fields, session },
    ...listOf(toolCalls).map((call) => ({ type: 'tool_call', session, message, model, call })),
  ];
}

/** Reads sessions of Gemini CLI, as the entries of `geminiParts`. */
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
