import { callId } from './callIds.ts';
import type { Call } from './conversation.ts';
import type { Detected, ReadCall } from './desk.ts';

/** What becomes of a call. A tool of an MCP server may have an effect; Baton's own are safe to call again. */
export type Act = 'handoff' | 'finish' | 'own' | 'tool' | 'none';

export interface JudgedCall extends Call {
  act: Act;
}

export const ownTools = ['finish', 'ask_person', 'note', 'read'] as const;
const isOwn = (name: string): boolean => (ownTools as readonly string[]).includes(name);

/**
 * Decides what becomes of the calls of one answer. What is wrong with a call is known before any runs, and recorded with the step. Of
 * the calls that end the turn of the agent only one runs, after all others.
 */
export function judge(
  { calls, chosen }: Detected,
  { agentSessionId, step, tools }: { agentSessionId: string; step: number; tools: ReadonlySet<string> },
): JudgedCall[] {
  const handoff = chosen === null ? undefined : calls.find(({ index }) => index === chosen.index);
  const last = handoff ?? calls.find((call) => isEnd(call) && call.problem === null);
  return calls.map((call) => {
    const { act, error } = verdict(call, last, tools);
    return {
      id: callId(agentSessionId, step, call.index),
      name: call.toolName,
      arguments: call.arguments,
      result: null,
      error,
      act,
    };
  });
}

const isEnd = ({ kind, toolName }: ReadCall): boolean =>
  kind !== 'OTHER' || toolName === 'finish' || toolName === 'ask_person';

function verdict(
  call: ReadCall,
  last: ReadCall | undefined,
  tools: ReadonlySet<string>,
): { act: Act; error: string | null } {
  const refused = (error: string) => ({ act: 'none', error }) as const;
  const { kind, toolName, problem } = call;
  if (call.arguments === null || problem?.code === 'INVALID_ARGUMENTS')
    return refused(`Not run: ${problem?.message ?? 'The arguments are not a JSON object: send one JSON object'}`);
  if (isEnd(call) && call !== last)
    return refused(`Not run: '${last?.toolName ?? ''}' of the same answer ends your turn, and only one call can`);
  if (kind !== 'OTHER') return { act: 'handoff', error: null };
  if (toolName === 'finish') return { act: 'finish', error: null };
  if (isOwn(toolName)) return { act: 'own', error: null };
  if (tools.has(toolName)) return { act: 'tool', error: null };
  return refused(
    `There is no tool '${toolName}'. Your tools: ${[...tools].join(', ')}${tools.size > 0 ? ', ' : ''}${ownTools.join(', ')}`,
  );
}
