import { statement } from '../../core/changes.ts';
import { LimitExceededError } from '../../core/errors.ts';
import { TooManyValues } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { mostTargets } from './define.ts';
import { detectIn, namesIn } from './detect/detectHandoffs.ts';
import type { Detection } from './detect/detection.ts';
import type { Known, KnownAgent, KnownTool } from './detect/known.ts';
import { type Answer, readAnswer, withArguments } from './detect/readAnswer.ts';
import { folded } from './detect/styles.ts';
import { findTools, type Reader } from './queries.ts';
import { type HandoffTool, isEnabled, toolOfMany } from './tool.ts';

const findAll = statement('SELECT id, archived_at IS NOT NULL AS archived, name, role, type FROM agents ORDER BY id');
// An index has this expression.
const findNamed = statement(
  `SELECT id, archived_at IS NOT NULL AS archived FROM agents WHERE replace(id, '_', '-') = ANY ($1::text[]) ORDER BY id`,
);

interface Found {
  detection: Detection;
  handoffTools: HandoffTool[];
}

type Run = <T>(work: () => T) => T | Promise<T>;

/**
 * Detects the handoffs in a response of an Agent's model; null when the Agent does not exist. `run` runs work on the response.
 * @throws LimitExceededError for too many calls, before any is looked at, or too many values
 */
export async function detectInResponse(
  reader: Reader,
  agentId: string,
  response: unknown,
  run: Run,
): Promise<Found | null> {
  const answer = await run(() => readWithin(response));
  return detectFor(reader, agentId, answer, run);
}

/** @throws LimitExceededError */
function readWithin(response: unknown): Answer | null {
  const advice = 'send only the last answer of the model';
  try {
    const answer = readAnswer(response);
    const { toolCallsOfTurn: limit } = limits.counts;
    const count = answer?.calls.length ?? 0;
    if (count > limit) throw new LimitExceededError('calls', limit, count, advice);
    return answer && withArguments(answer);
  } catch (error) {
    if (!(error instanceof TooManyValues)) throw error;
    throw new LimitExceededError(error.what, error.limit, error.limit + 1, advice);
  }
}

/** Detects the handoffs in an answer of an Agent's model; null when the Agent does not exist. */
export async function detectFor(
  reader: Reader,
  agentId: string,
  answer: Answer | null,
  run: Run = (work) => work(),
): Promise<Found | null> {
  const known = await loadKnown(reader, agentId, answer === null ? [] : namesIn(answer.calls));
  if (known === null) return null;
  const { handoffTools } = known;
  const detection = await run(() => detectIn(answer, known));
  // It may be another name of an agent, and a message names the nearest of all agents.
  if (!detection.calls.some(({ problem }) => problem?.code === 'UNKNOWN_TARGET' || problem?.code === 'ARCHIVED_TARGET'))
    return { detection, handoffTools };
  const agents = await reader.query<KnownAgent>(findAll, []);
  return { detection: await run(() => detectIn(answer, { ...known, agents })), handoffTools };
}

/** Reads what detection needs to know about an Agent, its tools, and the agents with these names; null when it does not exist. */
async function loadKnown(
  reader: Reader,
  agentId: string,
  names: readonly string[],
): Promise<(Known & { handoffTools: HandoffTool[] }) | null> {
  const [named, handoffTools] = await Promise.all([
    reader.query<{ id: string; archived: boolean }>(findNamed, [[...new Set([folded(agentId), ...names])]]),
    findTools(reader, { agentIds: [agentId], archived: true }),
  ]);
  if (!named.some(({ id }) => id === agentId)) return null;
  const targets = handoffTools.map(({ targetAgentId, target }) => ({ id: targetAgentId, archived: target.archived }));
  const agents = new Map([...targets, ...named].map((agent) => [agent.id, agent]));
  return {
    agentId,
    tools: knownTools(handoffTools),
    handoffTools,
    agents: [...agents.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** Tools of archived targets too: a model may have been offered them before. */
export function knownTools(tools: readonly HandoffTool[]): KnownTool[] {
  const known = tools
    .filter((tool) => tool.generated || tool.archivedAt === null)
    .map(({ id, name, targetAgentId, generated }): KnownTool => ({
      id: generated ? null : id,
      name,
      targetAgentId,
      generated,
    }));
  const agentIds = tools.filter((tool) => tool.generated && isEnabled(tool)).map(({ targetAgentId }) => targetAgentId);
  if (agentIds.length <= mostTargets) return known;
  return [
    ...known,
    { id: null, name: toolOfMany, targetAgentId: null, generated: true, enumTargets: { argument: 'target', agentIds } },
  ];
}
