import type { Draft, Place } from './draft.ts';
import { shortHash } from './lines.ts';
import type { Reader } from './reader.ts';
import { addSaid, interruption, withExitCode } from './said.ts';
import { fieldsOf, instantOf, isObject, listOf, noTokens, tokensOf, type Fields } from './transcript.ts';

const eventType = /^(?:abort|[a-z_]+(?:\.[a-z_]+)+)$/;
const writers = new Set(['create', 'edit', 'str_replace_editor']);

/** An event of Copilot CLI: `{ type, data, id, timestamp, parentId }`. */
export const isCopilot = (entry: Fields): boolean =>
  typeof entry['type'] === 'string' &&
  eventType.test(entry['type']) &&
  isObject(entry['data']) &&
  typeof entry['id'] === 'string' &&
  'parentId' in entry;

/** Reads the events of a session of Copilot CLI, by the types of its SDK. */
export function copilotReader(draft: Draft, sidechainFile: boolean): Reader {
  let model: string | null = null;

  function placed({ cwd, branch, headCommit }: Fields, place: Place): void {
    draft.setWorkspace({ folder: cwd, branch, commit: headCommit }, place);
  }

  function user({ content, source, isAutopilotContinuation }: Fields, sidechain: boolean, place: Place): void {
    const texts = typeof content === 'string' ? [content] : [];
    const isSkill = typeof source === 'string' && source.startsWith('skill');
    if (sidechain) draft.addMessage('SYSTEM', texts, place, { kind: 'SUBTASK' });
    else if ((typeof source === 'string' && source !== 'user') || isAutopilotContinuation === true)
      draft.addMessage('SYSTEM', texts, place, isSkill ? { kind: 'SKILL' } : {});
    else addSaid(draft, texts, place);
  }

  function assistant(data: Fields, sidechain: boolean, place: Place): void {
    const id = typeof data['messageId'] === 'string' ? data['messageId'] : `line ${draft.lines[place.line]!.key}`;
    draft.assistant(id);
    if (typeof data['reasoningText'] === 'string' || typeof data['reasoningOpaque'] === 'string')
      draft.counts.thinkingBlocks += 1;
    const texts = typeof data['content'] === 'string' ? [data['content']] : [];
    draft.addMessage(sidechain ? 'TOOL' : 'ASSISTANT', texts, place, {
      id,
      ...(sidechain && { kind: 'SUBTASK' as const }),
    });
    for (const { toolCallId, name, arguments: given } of listOf(data['toolRequests']).map(fieldsOf))
      call(toolCallId, name, given, place, id);
    used(data, { outputTokens: tokensOf(data['outputTokens']) }, place);
  }

  function call(id: unknown, name: unknown, given: unknown, place: Place, message: string | null): void {
    const { path, command } = fieldsOf(given);
    const writes = typeof name === 'string' && writers.has(name) && command !== 'view';
    draft.call(id, name, given, writes ? [path] : patchedIn(given), place, message);
  }

  /** A message tells the tokens of its request, and an event of the request all of them. */
  function used(data: Fields, tokens: Partial<ReturnType<typeof noTokens>>, place: Place): void {
    const key = data['apiCallId'] ?? data['messageId'];
    const named = typeof data['model'] === 'string' ? draft.clean.name(data['model'], 'unknown') : model;
    if (typeof key === 'string' && Object.values(tokens).some((count) => count > 0))
      draft.setUsage(`copilot ${key}`, { ...noTokens(), ...tokens }, named, place);
  }

  function usage(data: Fields, sidechain: boolean, place: Place): void {
    const [read, write] = [tokensOf(data['cacheReadTokens']), tokensOf(data['cacheWriteTokens'])];
    const tokens = {
      inputTokens: Math.max(0, tokensOf(data['inputTokens']) - read - write),
      outputTokens: tokensOf(data['outputTokens']),
      cacheCreationInputTokens: write,
      cacheReadInputTokens: read,
    };
    if (!sidechain) draft.reportWindow(tokens, place);
    used({ apiCallId: draft.lines[place.line]!.key, ...data }, tokens, place);
  }

  function complete({ toolCallId, success, result, error }: Fields, place: Place): void {
    const { content, detailedContent, contents } = fieldsOf(result);
    const said = [content, detailedContent].find((text): text is string => typeof text === 'string' && text !== '');
    const code = listOf(contents)
      .map(fieldsOf)
      .find(({ type }) => type === 'terminal')?.['exitCode'];
    const ended = said === undefined ? undefined : /<exited with exit code (-?\d+)>\s*$/.exec(said)?.[1];
    const failed = success === false;
    const { message } = fieldsOf(error);
    draft.answer(
      toolCallId,
      {
        text: withExitCode(
          code ?? (ended === undefined ? null : Number(ended)),
          failed && typeof message === 'string' ? message : (said ?? ''),
        ),
        failed,
      },
      place,
    );
  }

  return {
    knows: ({ type }) => typeof type === 'string' && eventType.test(type),
    typeOf: ({ type }) => type,
    keyOf: ({ id }) => (typeof id === 'string' ? shortHash(`copilot ${id}`) : null),
    at: ({ timestamp }) => instantOf(timestamp),
    read({ type, data: given, agentId }, place) {
      const data = fieldsOf(given);
      const sidechain = sidechainFile || typeof agentId === 'string' || typeof data['parentToolCallId'] === 'string';
      if (sidechain) draft.counts.sidechainLines += 1;
      if (type === 'user.message') user(data, sidechain, place);
      else if (type === 'assistant.message') assistant(data, sidechain, place);
      else if (type === 'assistant.usage') usage(data, sidechain, place);
      else if (type === 'tool.execution_start')
        call(data['toolCallId'], data['toolName'], data['arguments'], place, null);
      else if (type === 'tool.execution_complete') complete(data, place);
      else if (type === 'session.start' || type === 'session.resume') {
        placed(fieldsOf(data['context']), place);
        model = typeof data['selectedModel'] === 'string' ? draft.clean.name(data['selectedModel'], 'unknown') : model;
      } else if (type === 'session.context_changed') placed(data, place);
      else if (type === 'session.model_change')
        model = typeof data['newModel'] === 'string' ? draft.clean.name(data['newModel'], 'unknown') : model;
      else if (type === 'session.title_changed') draft.name(data['title']);
      else if (type === 'session.compaction_complete' && data['success'] !== false && !sidechain) draft.compact(place);
      else if (type === 'session.truncation' && !sidechain) draft.compact(place);
      else if (type === 'system.message' && typeof data['content'] === 'string')
        draft.addMessage('SYSTEM', [data['content']], place, { kind: 'STATUS' });
      else if (type === 'session.error' && typeof data['message'] === 'string')
        draft.addMessage('SYSTEM', [data['message']], place, { kind: 'ERROR' });
      else if (type === 'abort') draft.addMessage('SYSTEM', [interruption], place);
    },
  };
}

const patchedFile = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The files of a patch in the arguments of a call. */
export function patchedIn(given: unknown): string[] {
  const texts = typeof given === 'string' ? [given] : Object.values(fieldsOf(given));
  const patch = texts.find((text): text is string => typeof text === 'string' && text.includes('*** Begin Patch'));
  return [...(patch ?? '').matchAll(patchedFile)].map(([, path]) => path!.trim());
}
