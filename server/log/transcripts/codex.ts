import type { Draft, Outcome, Place } from './draft.ts';
import type { Reader } from './detect.ts';
import { addTokens, fieldsOf, instantOf, isObject, listOf, noTokens, tokensOf, type Fields, type Tokens } from './transcript.ts';

export const codexTypes: ReadonlySet<unknown> = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted']);

/** What the program puts into a person's mouth: instructions of the repository, the machine's state. */
const notHuman = /^\s*(# AGENTS\.md instructions|<(environment_context|user_instructions|INSTRUCTIONS|permissions|turn_aborted|skill|user_shell_command|subagent_notification)\b)/;

const image = '[image]';

/** The rollouts of OpenAI Codex: `{ timestamp, type, payload }` a line. */
export function codexReader(draft: Draft, sidechainFile: boolean): Reader {
  let source = '';
  let model: string | null = null;
  /** What a person said, until it has come the second time: as an item of the conversation, and as an event. */
  let expected: string | null = null;
  let total = noTokens();
  let before = noTokens();
  let turn = -1;

  function person(said: string[], place: Place): void {
    const words = said.filter((text) => text !== image).join('\n').trim();
    if (words === expected) {
      expected = null;
      return;
    }
    expected = words;
    draft.person(said, place);
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
    if (type === 'message') message(payload, place);
    else if (type === 'reasoning') draft.thinkingBlocks += 1;
    else if (type === 'function_call') call(id, name, parsed(payload['arguments']), place);
    else if (type === 'custom_tool_call') call(id, name, payload['input'], place);
    else if (type === 'local_shell_call') call(id, 'local_shell', payload['action'], place);
    else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const answered = draft.answer(id, outcomeOf(payload['output']), place);
      if (answered?.name === 'update_plan' && answered.error === null && !sidechainFile) {
        const plan = listOf(fieldsOf(answered.arguments)['plan']).map(fieldsOf);
        draft.setTasks(plan.map(({ step, status }) => ({ content: step, status })), place);
      }
    }
  }

  const call = (id: unknown, name: unknown, args: unknown, place: Place): void => draft.call(id, name, args, patchedBy(args), place, null);

  /** The figures are of the whole rollout so far: a turn took what they grew by in it. */
  function count(info: unknown, place: Place): void {
    const usage = fieldsOf(info)['total_token_usage'];
    if (!isObject(usage)) return;
    if (draft.turn !== turn) {
      before = total;
      turn = draft.turn;
    }
    total = totalOf(usage);
    draft.reportWindow(totalOf(fieldsOf(fieldsOf(info)['last_token_usage'])), place);
    draft.use(`turn ${turn} of ${source}`, addTokens(total, before, -1), model, place);
  }

  return {
    format: 'CODEX',
    knows: ({ type }) => codexTypes.has(type),
    typeOf: ({ type, payload }) => {
      const kind = fieldsOf(payload)['type'];
      return typeof type === 'string' && typeof kind === 'string' ? `${type}/${kind}` : type;
    },
    // Lines have no ids of their own.
    keyOf: () => null,
    at: ({ timestamp }) => instantOf(timestamp),
    read({ type, payload: body }, place) {
      if (sidechainFile) draft.sidechainLines += 1;
      const payload = fieldsOf(body);
      if (source === '') source = typeof payload['id'] === 'string' ? payload['id'] : draft.lines[place.line]!.key;
      if (type === 'turn_context' && typeof payload['model'] === 'string') model = draft.clean.name(payload['model'], 'unknown');
      else if (type === 'response_item') item(payload, place);
      else if (type === 'compacted') {
        draft.compact(place);
        if (typeof payload['message'] === 'string') draft.say('SYSTEM', [payload['message']], place);
      } else if (type === 'event_msg' && payload['type'] === 'token_count') count(payload['info'], place);
      else if (type === 'event_msg' && payload['type'] === 'user_message' && typeof payload['message'] === 'string' && !sidechainFile) {
        person([payload['message']], place);
      }
    },
  };
}

function totalOf(usage: Fields): Tokens {
  const cached = tokensOf(usage['cached_input_tokens']);
  return {
    inputTokens: Math.max(0, tokensOf(usage['input_tokens']) - cached),
    outputTokens: tokensOf(usage['output_tokens']),
    cacheCreationInputTokens: 0,
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
  return { text, failed: failedCommand.test(text.split(/^Output:$/m, 1)[0] ?? '') };
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
