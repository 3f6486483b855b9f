import { apart, ownWords } from '../../context/ownWords.ts';
import type { Draft, Outcome, Place } from './draft.ts';
import { parseBounded } from './json.ts';
import type { Reader } from './reader.ts';
import { interruption } from './said.ts';
import {
  addTokens,
  fieldsOf,
  instantOf,
  isObject,
  listOf,
  tokensOf,
  type Fields,
  type MessageEntry,
  type Tokens,
} from './transcript.ts';

const types: ReadonlySet<unknown> = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'world_state',
  'token_usage_record',
]);

export const isCodex = ({ type, payload }: Fields): boolean => types.has(type) && isObject(payload);

const image = '[image]';

/** Reads rollouts of OpenAI Codex: `{ timestamp, type, payload }` per line. */
export function codexReader(draft: Draft, sidechainFile: boolean): Reader {
  const subtask = sidechainFile ? { kind: 'SUBTASK' as const } : {};
  let source = '';
  let model: string | null = null;
  /** Text of a person's message that came as an event, until the same message comes as an item. */
  let expectedItem: string | null = null;
  /** The last such event, to recognise its repetition by the other kind of event. */
  let announced: { words: string; by: string; acts: number } | null = null;
  /** Items of persons without an event so far. */
  const unannounced: { words: string; message: MessageEntry; acts: number }[] = [];
  let announces = false;
  let acts = 0;
  let total: Fields = {};
  /** What people and the model said, without turns that were taken back. */
  const conversation: MessageEntry[] = [];
  /** Calls of which an event says that they failed. */
  const failed = new Set<unknown>();

  function person(texts: string[], place: Place): void {
    const words = wordsOf(texts);
    if (words === expectedItem) {
      expectedItem = null;
      return;
    }
    const message = say(draft.addPersonMessage(texts, place));
    if (message !== null) unannounced.push({ words, message, acts });
  }

  function say(message: MessageEntry | null): MessageEntry | null {
    if (message !== null) conversation.push(message);
    return message;
  }

  /** A person took back their last turns. */
  function takeBack(turns: number): void {
    for (let left = turns; left > 0 && conversation.length > 0;) {
      const message = conversation.pop()!;
      if (message.role === 'USER') left -= 1;
      draft.withdraw(message);
    }
  }

  /** A person's message comes as an item and as an event, in either order; newer versions have two kinds of event. */
  function announce(message: string, by: string, place: Place): void {
    const words = wordsOf([message]);
    announces = true;
    if (ownWords(message) === '') return;
    if (announced?.words === words && announced.by !== by && announced.acts === acts) return;
    announced = { words, by, acts };
    // Item and event are close together in the file.
    const near = unannounced.slice(-8).findLastIndex((other) => other.words === words);
    if (near < 0) {
      say(draft.addPersonMessage([message], place));
      expectedItem = words;
    } else {
      unannounced.splice(Math.max(0, unannounced.length - 8) + near, 1);
      expectedItem = null;
    }
  }

  function message({ role, content }: Fields, place: Place): void {
    const texts = listOf(content)
      .filter(isObject)
      .flatMap(({ text, type }) => (typeof text === 'string' ? [text] : type === 'input_image' ? [image] : []));
    if (role === 'assistant') {
      draft.assistant(`line ${place.line}`);
      say(draft.addMessage(sidechainFile ? 'TOOL' : 'ASSISTANT', texts, place, subtask));
    } else if (role === 'user' && !sidechainFile) {
      const { own, program } = apart(texts);
      if (own.length > 0) person(own, place);
      draft.addMessage('SYSTEM', program, place);
    } else {
      draft.addMessage('SYSTEM', texts, place, subtask);
    }
  }

  function item(payload: Fields, place: Place): void {
    const { type, call_id: id, name } = payload;
    if (type !== 'message' || payload['role'] === 'assistant') acts += 1;
    if (type === 'message') message(payload, place);
    else if (type === 'reasoning') draft.counts.thinkingBlocks += 1;
    else if (type === 'function_call') call(id, name, parsed(payload['arguments']), place);
    else if (type === 'custom_tool_call') call(id, name, payload['input'], place);
    else if (type === 'local_shell_call') call(id, 'local_shell', payload['action'], place);
    else if (type === 'web_search_call') {
      const key = typeof payload['id'] === 'string' ? payload['id'] : `web_search-${draft.lines[place.line]!.key}`;
      call(key, 'web_search', payload['action'], place);
      // The file does not contain the search results.
      if (typeof payload['status'] === 'string')
        draft.answer(key, { text: payload['status'], failed: payload['status'] === 'failed' }, place);
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const outcome = outcomeOf(payload['output']);
      draft.answer(id, { ...outcome, failed: outcome.failed || failed.has(id) }, place, (answered) => {
        if (answered.name !== 'update_plan' || answered.error !== null || sidechainFile) return;
        draft.useArguments(answered, (args) => {
          const plan = listOf(fieldsOf(args)['plan']).map(fieldsOf);
          draft.setTasks(
            plan.map(({ step, status }) => ({ content: step, status })),
            place,
          );
        });
      });
    }
  }

  const call = (id: unknown, name: unknown, args: unknown, place: Place): void =>
    draft.call(id, name, args, patchedBy(args), place, null);

  /** Adds the tokens of a request. Each is reported once or more, with a running total that may restart at any time. */
  function count(info: unknown, place: Place): void {
    const { total_token_usage: now, last_token_usage: last, model_context_window: window } = fieldsOf(info);
    draft.contextWindow = tokensOf(window) || draft.contextWindow;
    if (!isObject(now) || sameFigures(now, total)) return;
    const used = isObject(last) ? tokensIn(last) : addTokens(tokensIn(now), tokensIn(total), -1);
    total = now;
    // A sub-agent has its own window.
    if (isObject(last) && !sidechainFile) draft.reportWindow(used, place);
    draft.addUsage(`turn ${draft.turn} of ${source}`, used, model, place);
  }

  return {
    knows: ({ type }) => types.has(type),
    typeOf: ({ type, payload }) => {
      const kind = fieldsOf(payload)['type'];
      return typeof type === 'string' && typeof kind === 'string' ? `${type}/${kind}` : type;
    },
    keyOf: () => null,
    at: ({ timestamp }) => instantOf(timestamp),
    read({ type, payload: body }, place) {
      if (sidechainFile) draft.counts.sidechainLines += 1;
      const payload = fieldsOf(body);
      if (source === '') source = typeof payload['id'] === 'string' ? payload['id'] : draft.lines[place.line]!.key;
      if (type === 'session_meta') {
        const git = fieldsOf(payload['git']);
        draft.setWorkspace({ folder: payload['cwd'], branch: git['branch'], commit: git['commit_hash'] }, place);
      } else if (type === 'turn_context')
        draft.setWorkspace({ folder: payload['cwd'], sandbox: sandboxOf(payload) }, place);
      if (type === 'turn_context' && typeof payload['model'] === 'string')
        model = draft.clean.name(payload['model'], 'unknown');
      else if (type === 'response_item') item(payload, place);
      else if (type === 'compacted') {
        draft.compact(place);
        if (typeof payload['message'] === 'string')
          draft.addMessage('SYSTEM', [payload['message']], place, { kind: 'STATUS' });
      } else if (type === 'event_msg' && payload['type'] === 'token_count') count(payload['info'], place);
      else if (
        type === 'event_msg' &&
        payload['type'] === 'user_message' &&
        typeof payload['message'] === 'string' &&
        !sidechainFile
      ) {
        announce(payload['message'], 'user_message', place);
      } else if (type === 'event_msg' && isFailedEnd(payload)) {
        failed.add(payload['call_id']);
      } else if (type === 'event_msg' && payload['type'] === 'turn_aborted' && payload['reason'] === 'interrupted') {
        if (!sidechainFile) draft.addMessage('SYSTEM', [interruption], place);
      } else if (type === 'event_msg' && payload['type'] === 'thread_rolled_back') {
        takeBack(tokensOf(payload['num_turns']));
      } else if (type === 'event_msg' && payload['type'] === 'item_completed' && !sidechainFile) {
        const { type: kind, content } = fieldsOf(payload['item']);
        if (kind === 'UserMessage')
          announce(
            listOf(content)
              .flatMap((part) => (typeof fieldsOf(part)['text'] === 'string' ? [fieldsOf(part)['text'] as string] : []))
              .join('\n'),
            'item_completed',
            place,
          );
      }
    },
    end() {
      // In a growing file, the event of the last item may still follow.
      if (announces) for (const item of unannounced) if (item.acts < acts) draft.demote(item.message);
    },
  };
}

/** Whether an event says that a patch or a tool of an MCP server failed, which the output may not show. */
function isFailedEnd({ type, success, result }: Fields): boolean {
  if (type === 'patch_apply_end') return success === false;
  return type === 'mcp_tool_call_end' && ('Err' in fieldsOf(result) || isMcpError(fieldsOf(fieldsOf(result)['Ok'])));
}

const isMcpError = ({ isError, is_error }: Fields): boolean => isError === true || is_error === true;

const wordsOf = (texts: string[]): string =>
  texts
    .filter((text) => text !== image)
    .join('\n')
    .trim();

const sameFigures = (a: Fields, b: Fields): boolean =>
  ['input_tokens', 'cached_input_tokens', 'output_tokens', 'total_tokens'].every((name) => a[name] === b[name]);

function tokensIn(usage: Fields): Tokens {
  const cached = tokensOf(usage['cached_input_tokens']);
  const written = tokensOf(usage['cache_write_input_tokens']);
  return {
    inputTokens: Math.max(0, tokensOf(usage['input_tokens']) - cached - written),
    outputTokens: tokensOf(usage['output_tokens']),
    cacheCreationInputTokens: written,
    cacheReadInputTokens: cached,
  };
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text ?? null;
  try {
    return parseBounded(text);
  } catch {
    return text;
  }
}

// The header of a command's output when it failed.
const failedCommand = /^(Process exited with code|Exit code:?) [1-9-]/m;

/** Answers of the program, instead of output, when a call failed or did not run. */
const failedCall =
  /^(failed in sandbox |execution error: |apply_patch verification failed|exec_command failed|tool call (failed|error)|failed to parse function arguments|unsupported call: |(patch|exec command) rejected by user)/;

/** The outcome of a call, from what Codex writes as its output. */
export function outcomeOf(output: unknown): Outcome {
  if (Array.isArray(output)) {
    return {
      text: output
        .filter(isObject)
        .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
        .join('\n'),
      failed: false,
    };
  }
  const value = parsed(output);
  if (isObject(value) && (typeof value['output'] === 'string' || typeof value['content'] === 'string')) {
    const exit = fieldsOf(value['metadata'])['exit_code'];
    return {
      text: String(value['output'] ?? value['content']),
      failed: value['success'] === false || (typeof exit === 'number' && exit !== 0),
    };
  }
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? '');
  // A result whose JSON was changed by hand, as in published files.
  const code = /^\{"output":/.test(text) ? /"metadata":\{"exit_code":(-?\d+)/.exec(text.slice(-200))?.[1] : undefined;
  if (code !== undefined) return { text, failed: code !== '0' };
  return { text, failed: failedCall.test(text) || failedCommand.test(text.split(/^Output:$/m, 1)[0] ?? '') };
}

const patchedFile = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The files of a patch, which is a call of its own or part of a command. */
function patchedBy(args: unknown): string[] {
  const text = typeof args === 'string' ? args : [...textsIn(args)].find((part) => part.includes('*** Begin Patch'));
  return [...(text ?? '').matchAll(patchedFile)].map(([, path]) => path!.trim());
}

function* textsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null && depth < 4)
    for (const part of Object.values(value)) yield* textsIn(part, depth + 1);
}

const word = /^[a-z-]{1,40}$/;
/** What Codex allowed its agent, in its own words, such as `read-only, approval on-request`; undefined when it does not say. */
function sandboxOf({ sandbox_policy: policy, approval_policy: approval }: Record<string, unknown>): string | undefined {
  const { mode, type, network_access: network } = fieldsOf(policy);
  const name = mode ?? type ?? policy;
  if (typeof name !== 'string' || !word.test(name)) return undefined;
  const isAsked = typeof approval === 'string' && word.test(approval);
  return [name, network === false ? ' without network' : '', isAsked ? `, approval ${approval}` : ''].join('');
}
