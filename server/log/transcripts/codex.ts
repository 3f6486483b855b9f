import type { Draft, Outcome, Place } from './draft.ts';
import type { Reader } from './reader.ts';
import { addTokens, fieldsOf, instantOf, isObject, listOf, tokensOf, type Fields, type Said, type Tokens } from './transcript.ts';

export const codexTypes: ReadonlySet<unknown> = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted', 'world_state', 'token_usage_record']);

/** What the program puts into a person's mouth: instructions of the repository, the machine's state. */
const notHuman = /^\s*(# AGENTS\.md instructions|<(environment_context|user_instructions|INSTRUCTIONS|permissions|turn_aborted|skill|user_shell_command|subagent_notification)\b|Warning: apply_patch was requested via )/;

const image = '[image]';

/** The rollouts of OpenAI Codex: `{ timestamp, type, payload }` a line. */
export function codexReader(draft: Draft, sidechainFile: boolean): Reader {
  let source = '';
  let model: string | null = null;
  /** What a person said by an event, until it has come as an item of the conversation too. */
  let awaited: string | null = null;
  /** What was announced last, to know it when the other kind of event says it too. */
  let announced: { words: string; by: string; acts: number } | null = null;
  /** Items that no event has announced yet. */
  const unannounced: { words: string; said: Said; acts: number }[] = [];
  let announces = false;
  let acts = 0;
  let total: Fields = {};

  function person(said: string[], place: Place): void {
    const words = wordsOf(said);
    if (words === awaited) {
      awaited = null;
      return;
    }
    const message = draft.person(said, place);
    if (message !== null) unannounced.push({ words, said: message, acts });
  }

  /** A person's words come as an item and as an event, in either order; newer versions have two kinds of event. */
  function announce(message: string, by: string, place: Place): void {
    const words = wordsOf([message]);
    announces = true;
    if (announced?.words === words && announced.by !== by && announced.acts === acts) return;
    announced = { words, by, acts };
    // They stand close together.
    const near = unannounced.slice(-8).findLastIndex((other) => other.words === words);
    if (near < 0) {
      draft.person([message], place);
      awaited = words;
    } else {
      unannounced.splice(Math.max(0, unannounced.length - 8) + near, 1);
      awaited = null;
    }
  }

  function message({ role, content }: Fields, place: Place): void {
    const said = listOf(content).filter(isObject).flatMap(({ text, type }) => (typeof text === 'string' ? [text] : type === 'input_image' ? [image] : []));
    if (role === 'assistant') {
      draft.assistant(`line ${place.line}`);
      draft.say(sidechainFile ? 'TOOL' : 'ASSISTANT', said, place);
    } else if (role === 'user' && !sidechainFile && !notHuman.test(said[0] ?? '')) {
      person(said, place);
    } else {
      draft.say('SYSTEM', said, place);
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
      // What was found is not in the file.
      if (typeof payload['status'] === 'string') draft.answer(key, { text: payload['status'], failed: payload['status'] === 'failed' }, place);
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const answered = draft.answer(id, outcomeOf(payload['output']), place);
      if (answered?.name === 'update_plan' && answered.error === null && !sidechainFile) {
        const plan = listOf(fieldsOf(answered.arguments)['plan']).map(fieldsOf);
        draft.setTasks(plan.map(({ step, status }) => ({ content: step, status })), place);
      }
    }
  }

  const call = (id: unknown, name: unknown, args: unknown, place: Place): void => draft.call(id, name, args, patchedBy(args), place, null);

  /** Each request is told once or more often, always with the total so far, which may begin again at any time. */
  function count(info: unknown, place: Place): void {
    const { total_token_usage: now, last_token_usage: last } = fieldsOf(info);
    if (!isObject(now) || sameFigures(now, total)) return;
    const used = isObject(last) ? tokensIn(last) : addTokens(tokensIn(now), tokensIn(total), -1);
    total = now;
    if (isObject(last)) draft.reportWindow(used, place);
    draft.add(`turn ${draft.turn} of ${source}`, used, model, place);
  }

  return {
    knows: ({ type }) => codexTypes.has(type),
    typeOf: ({ type, payload }) => {
      const kind = fieldsOf(payload)['type'];
      return typeof type === 'string' && typeof kind === 'string' ? `${type}/${kind}` : type;
    },
    // Lines have no ids of their own.
    keyOf: () => null,
    at: ({ timestamp }) => instantOf(timestamp),
    read({ type, payload: body }, place) {
      if (sidechainFile) draft.counts.sidechainLines += 1;
      const payload = fieldsOf(body);
      if (source === '') source = typeof payload['id'] === 'string' ? payload['id'] : draft.lines[place.line]!.key;
      if (type === 'session_meta') {
        const git = fieldsOf(payload['git']);
        draft.stand({ folder: payload['cwd'], branch: git['branch'], commit: git['commit_hash'] }, place);
      } else if (type === 'turn_context') draft.stand({ folder: payload['cwd'] }, place);
      if (type === 'turn_context' && typeof payload['model'] === 'string') model = draft.clean.name(payload['model'], 'unknown');
      else if (type === 'response_item') item(payload, place);
      else if (type === 'compacted') {
        draft.compact(place);
        if (typeof payload['message'] === 'string') draft.say('SYSTEM', [payload['message']], place);
      } else if (type === 'event_msg' && payload['type'] === 'token_count') count(payload['info'], place);
      else if (type === 'event_msg' && payload['type'] === 'user_message' && typeof payload['message'] === 'string' && !sidechainFile) {
        announce(payload['message'], 'user_message', place);
      } else if (type === 'event_msg' && payload['type'] === 'item_completed' && !sidechainFile) {
        const { type: kind, content } = fieldsOf(payload['item']);
        if (kind === 'UserMessage') announce(listOf(content).flatMap((part) => (typeof fieldsOf(part)['text'] === 'string' ? [fieldsOf(part)['text'] as string] : [])).join('\n'), 'item_completed', place);
      }
    },
    end() {
      // The last item's event may still be missing in a file that goes on.
      if (announces) for (const item of unannounced) if (item.acts < acts) draft.demote(item.said);
    },
  };
}

const wordsOf = (said: string[]): string => said.filter((text) => text !== image).join('\n').trim();

const sameFigures = (a: Fields, b: Fields): boolean => ['input_tokens', 'cached_input_tokens', 'output_tokens', 'total_tokens'].every((name) => a[name] === b[name]);

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
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// How commands say in front of their output that they failed.
const failedCommand = /^(Process exited with code|Exit code:?) [1-9-]/m;

/** What the program answers in place of an output when a call did not run, or not well. */
const failedCall = /^(failed in sandbox |execution error: |apply_patch verification failed|exec_command failed|failed to parse function arguments|unsupported call: |(patch|exec command) rejected by user)/;

function outcomeOf(output: unknown): Outcome {
  if (Array.isArray(output)) {
    return { text: output.filter(isObject).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n'), failed: false };
  }
  const value = parsed(output);
  if (isObject(value) && (typeof value['output'] === 'string' || typeof value['content'] === 'string')) {
    const exit = fieldsOf(value['metadata'])['exit_code'];
    return { text: String(value['output'] ?? value['content']), failed: value['success'] === false || (typeof exit === 'number' && exit !== 0) };
  }
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? '');
  return { text, failed: failedCall.test(text) || failedCommand.test(text.split(/^Output:$/m, 1)[0] ?? '') };
}

const patchedFile = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The files that a patch names, whether it is a call of its own or part of a command. */
function patchedBy(args: unknown): string[] {
  const text = typeof args === 'string' ? args : [...textsIn(args)].find((part) => part.includes('*** Begin Patch'));
  return [...(text ?? '').matchAll(patchedFile)].map(([, path]) => path!.trim());
}

function* textsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null && depth < 4) for (const part of Object.values(value)) yield* textsIn(part, depth + 1);
}
