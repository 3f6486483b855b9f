import { statement } from '../../core/changes.ts';
import {
  AlreadyAssignedError,
  type ArgumentProblem,
  BadUserInputError,
  type DomainError,
  InvalidStateError,
  InvalidToolArgumentsError,
  type ToolResult,
  UnknownHandoffTargetError,
} from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import { carryOf } from '../context/carry.ts';
import { bounds } from '../context/sources.ts';
import type { PendingCall } from '../context/withCall.ts';
import type { ApprovalRule, HandoffStatus } from '../../generated/prisma/client.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandLocked, demandMove, lockSession, movedSession } from '../custody/demand.ts';
import {
  type HandoffAnswer,
  type HandoffSettings,
  moveColumns,
  type MoveRead,
  moveValues,
  demandOf,
  nextStages,
  startedHandoff,
  startHandoff,
} from '../handoffs/initiateHandoff.ts';
import { wayTo } from '../custody/mayChangeHands.ts';
import { withCandidates } from '../handoffs/target.ts';
import { appendCall } from '../log/appendTurn.ts';
import { checkArguments, type GivenArguments } from './arguments.ts';
import { schemaOf } from './define.ts';
import type { DetectedCall } from './detect/detection.ts';
import type { HandoffTool } from './tool.ts';

/** What detection found: the call to execute, or the reason why there is none. `callId` is stored with it. */
export type Call = {
  callId: string | null;
  /** Whether the tool is taken for a generated one because of its name; nothing was read. */ assumed?: true;
} & ({ detected: DetectedCall; refusal: null } | { detected: null; refusal: DomainError });

/** The holder has no generated tool of this name: look for what else the name may mean. Nothing was changed. */
export class AssumedWrongly extends Error {}

export interface ExecuteInput {
  sessionId: string;
  /** The agent whose model called; null for the caller's, or the holder when the caller is no agent. */
  agentId: string | null;
}

export interface ExecuteAnswer extends HandoffAnswer {
  /** What to say to the model. */
  content: string;
}

/**
 * Hands the Session off as the holder's model asked by this call. The call is in the log then, and triggered the Handoff.
 * The same call of the same agent gives the first answer again.
 */
export async function executeCall(
  work: Work,
  { sessionId, agentId }: ExecuteInput,
  call: Call,
  { staleAfterMinutes, approveWithinMinutes }: HandoffSettings,
): Promise<ExecuteAnswer> {
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId, { agents: [targetOf(call), agentId].filter((id) => id !== null) });
  if (agentId !== null) demandLocked(custody.agents, agentId);
  const earlier = await work.earlierAnswer<ExecuteAnswer>();
  if (earlier !== null) return earlier;
  const { callId } = call;
  const read = await readCall(custody, call, agentId);
  const { recorded } = read;
  if (recorded?.handoff_id != null)
    return {
      handoffId: recorded.handoff_id,
      sessionId,
      content: contentFor(recorded.target_agent_id!, call.detected, recorded.status === 'PROPOSED'),
    };
  demandAct(custody, 'work', { actsFor: agentId });
  demandMove(
    work,
    {
      session: movedSession(custody),
      expectedVersion: null,
      target: null,
      agentType: null,
      started: {
        ...nothing,
        callerAgentId: work.caller.agentId,
        proposalId: custody.proposal && encodeId('handoff', custody.proposal.id),
      },
    },
    'already assigned',
  );
  const holderId = custody.session.agentId!;
  if (agentId !== null && agentId !== holderId) {
    throw new InvalidStateError(
      `The session is held by '${holderId}', not by '${agentId}': only its holder hands it off`,
      `HELD BY ${holderId}`,
      ['ACTIVE'],
    );
  }
  if (call.refusal !== null) throw listing(custody, call.refusal);
  const { detected } = call;
  if (call.assumed === true && !read.collaborators.includes(detected.targetAgentId!)) throw new AssumedWrongly();

  const { tool, targetId, given } = askedOf(custody, detected, read);
  const target = demandLocked(custody.agents, targetId);
  // The offer of a defined tool permits this Handoff.
  if (tool !== null) read.collaborators = [...read.collaborators, targetId];

  const approval = tool === null ? 'NONE' : tool.approval;
  const { path } = startedHandoff(custody, read, { variables: given.variables, byAgent: true });
  const way = path && wayTo(path, target);
  const isProposed = demandOf(custody, way, { tool: approval, collaboration: read.approval }) !== null;
  const content = contentFor(targetId, detected, isProposed);
  const triggeringToolCallIds: string[] = recorded === null ? [] : [recorded.id];
  const answer = await startHandoff(custody, target, read, {
    sessionId,
    targetAgentId: targetId,
    reason: given.reason,
    summary: given.summary,
    contextVariables: given.variables,
    metadata: null,
    priorTurnId: null,
    triggeringToolCallIds,
    via: 'TOOL',
    staleAfterMinutes,
    approveWithinMinutes,
    byAgent: true,
    tool: {
      name: nameOfTool(tool, detected),
      instructions: tool === null ? read.instructions : tool.instructions,
      approval,
    },
    carry: carryOf(tool?.carry ?? read.carry),
    before: async () => {
      if (recorded === null) {
        const appended = {
          callId: callId ?? `call_${work.newId()}`,
          name: detected.toolName,
          arguments: detected.arguments,
          result: content,
        };
        const staged = appendCall(custody, appended);
        triggeringToolCallIds.push(staged.id);
        return pendingCall(appended, staged, isProposed ? { ...read, hash: read.proposed_hash } : read);
      }
      if (!recorded.answered) work.change('tool_calls', { id: recorded.id }, { result: content });
      await work.flush();
      return null;
    },
  });
  return { ...answer, content };
}

const nothing = {
  proposalId: null,
  handoffsEnabled: true,
  maxHandoffs: 0,
  collaborators: [],
  cameFrom: null,
  earlier: [],
  contentHash: null,
  path: null,
};

// One statement: the guards' input, the call in the log (one that handed off already, else one of the holder's tenure: an MCP
// client logs it with the name of the server, or with '_' for '-', before the server is called), the
// defined tool as it is now, and what a Context holds of the call.
const readCallStatement = statement(`
SELECT ${moveColumns},
  (SELECT row_to_json(r) FROM (
    SELECT c.id, coalesce(c.result, c.error) IS NOT NULL AS answered, h.id AS handoff_id, h.target_agent_id, h.status
    FROM tool_calls c
      LEFT JOIN handoff_tool_calls t ON t.tool_call_id = c.id
      LEFT JOIN handoffs h ON h.id = t.handoff_id AND h.via = 'TOOL' AND (h.source_agent_id = $8 OR ($8 IS NULL AND h.id = $9::uuid))
    WHERE c.session_id = $1 AND c.call_id = $7
      AND (h.id IS NOT NULL OR (EXISTS (SELECT FROM turns u WHERE u.id = c.turn_id AND u.agent_session_id = $10::uuid) AND (c.name = $11
        OR (c.result IS NULL AND c.error IS NULL AND (c.name LIKE 'mcp\\_\\_%' OR c.name = 'baton_handoff' OR translate(lower(c.name), '-', '_') = translate(lower($11), '-', '_'))))))
    ORDER BY h.id IS NULL, c.index DESC LIMIT 1) r) AS recorded,
  (SELECT json_build_object('name', t.name, 'targetAgentId', t.target_agent_id, 'variables', t.variables, 'instructions', t.instructions, 'carry', t.carry, 'approval', t.approval, 'generated', false)
    FROM handoff_tools t JOIN handoff_tool_offers o ON o.tool_id = t.id AND o.agent_id = $2 WHERE t.id = $12::uuid AND t.archived_at IS NULL) AS tool,
  left($13::jsonb::text, ${bounds.argumentCharacters + 1}) AS arguments_text, coalesce(octet_length($13::jsonb::text), 0) AS arguments_bytes,
  ${['$14', '$15'].map((content, index) => `encode(sha256(convert_to(E'\\n' || $11 || ' ' || coalesce($13::jsonb::text, '') || ' ' || ${content}, 'UTF8')), 'hex') AS ${['hash', 'proposed_hash'][index]!}`).join(', ')}`);

interface CallRead extends MoveRead {
  recorded: {
    id: string;
    answered: boolean;
    handoff_id: string | null;
    target_agent_id: string | null;
    status: HandoffStatus | null;
  } | null;
  tool: OfferedTool | null;
  arguments_text: string | null;
  arguments_bytes: number;
  hash: string;
  /** The hash when a person has to approve the Handoff, which the call's result says. */
  proposed_hash: string;
}
type OfferedTool = Pick<
  HandoffTool,
  'name' | 'targetAgentId' | 'variables' | 'instructions' | 'carry' | 'generated'
> & {
  approval: ApprovalRule;
};

/**
 * Reads what a call needs. For an operator that names no agent only the waiting Handoff counts as a repetition: until it is
 * accepted nobody else can hand off.
 */
export async function readCall(
  custody: Custody,
  call: Call,
  agentId: string | null,
  targetAgentId = targetOf(call),
): Promise<CallRead> {
  const { work, openHandoff, openTenure } = custody;
  const { detected } = call;
  const waiting = openHandoff?.status === 'INITIATED' ? openHandoff.id : null;
  const target = targetOf(call);
  const [read] = await work.query<CallRead>(readCallStatement, [
    ...moveValues(custody, { priorTurnId: null, triggeringToolCallIds: null, targetAgentId }),
    call.callId,
    agentId ?? work.caller.agentId,
    waiting,
    openTenure?.id ?? null,
    detected?.toolName ?? '',
    detected?.tool?.id ?? null,
    detected?.arguments == null ? null : JSON.stringify(detected.arguments),
    ...[false, true].map((isProposed) => (target === null ? '' : contentFor(target, detected, isProposed))),
  ]);
  if (read === undefined) throw new Error('the query of a call returned no row');
  return read;
}

/** The call as a Context holds it before it is written. */
export const pendingCall = (
  call: { callId: string; name: string; arguments: unknown; result: string },
  place: { id: string; turnId: string; turn: number; sequence: number },
  { arguments_text, arguments_bytes, hash }: CallRead,
): PendingCall => ({ ...call, ...place, argumentsText: arguments_text ?? '{}', argumentsBytes: arguments_bytes, hash });

/** The agent that a call hands off to. An archived one is refused later, in the order of refusals. */
function targetOf({ detected }: Call): string | null {
  if (detected === null) return null;
  return (
    detected.targetAgentId ??
    (detected.problem?.code === 'ARCHIVED_TARGET' ? (detected.tool?.targetAgentId ?? null) : null)
  );
}

/** What a call asks of the holder's tools. @throws the refusal of a call that names no target, or whose arguments are wrong. */
function askedOf(
  custody: Custody,
  detected: DetectedCall,
  read: CallRead,
): { tool: OfferedTool | null; targetId: string; given: GivenArguments } {
  const { toolName, problem } = detected;
  if (problem?.code === 'SAME_AGENT') throw new AlreadyAssignedError(custody.session.agentId!);
  const targetId = targetOf({ callId: null, detected, refusal: null });
  if (targetId === null) throw listing(custody, unknownTarget(detected));
  const tool = detected.tool?.id == null ? null : read.tool;
  // It may have changed since detection read it.
  if (detected.tool?.id != null && tool?.targetAgentId !== targetId) {
    throw new UnknownHandoffTargetError(
      `Tool '${toolName}' has just been changed: read the definitions again (handoffToolDefinitions)`,
      toolName,
      [],
    );
  }
  return { tool, targetId, given: argumentsOf(detected, tool, custody) };
}

/** A call that names no agent is refused with those that it may name. */
const listing = (custody: Custody, refusal: DomainError): DomainError =>
  refusal instanceof UnknownHandoffTargetError ? withCandidates(custody, refusal, nextStages(custody)) : refusal;

const nameOfTool = (tool: OfferedTool | null, detected: DetectedCall): string =>
  tool?.name ?? detected.tool?.name ?? detected.toolName;

function unknownTarget({ toolName, problem, arguments: given }: DetectedCall): DomainError {
  if (problem?.code === 'INVALID_ARGUMENTS') return new InvalidToolArgumentsError(toolName, [problem], null);
  const named = problem?.path[0] === undefined ? undefined : given?.[problem.path[0]];
  return new UnknownHandoffTargetError(
    problem?.message ?? `The call of '${toolName}' names no agent`,
    typeof named === 'string' ? named : toolName,
    problem?.suggestions ?? [],
  );
}

const generated = { generated: true, variables: [] };

function argumentsOf(
  { arguments: given, tool, toolName, problem }: DetectedCall,
  defined: OfferedTool | null,
  custody: Custody,
): GivenArguments {
  // A framework's own handoff tool, which takes no arguments, may have the name of a generated one.
  const ofFramework =
    tool === null ||
    (tool.generated &&
      tool.enumTargets === undefined &&
      problem === null &&
      given !== null &&
      Object.keys(given).length === 0);
  const schema = tool === null ? null : schemaOf(defined ?? generated, tool.enumTargets?.agentIds);
  const refuse = (problems: readonly ArgumentProblem[]): never => {
    throw new InvalidToolArgumentsError(toolName, problems, schema);
  };
  if (given === null) return refuse([problem ?? { path: [], message: 'are not a JSON object: send one JSON object' }]);
  const checked = ofFramework
    ? checkArguments(foreignArguments(given), { ...generated, foreign: true })
    : checkArguments(given, defined ?? generated, tool?.enumTargets?.argument);
  if ('problems' in checked) return refuse(checked.problems);
  try {
    custody.variablesWith(checked.variables);
  } catch (error) {
    if (error instanceof BadUserInputError)
      return refuse([{ path: ['variables'], message: `of the session are too large with these. ${error.message}` }]);
    throw error;
  }
  return ofFramework
    ? { ...checked, reason: checked.reason ?? `The tool '${toolName}' was called without a reason.` }
    : checked;
}

/** Tools of frameworks give their reason under several names, and more that is theirs. */
function foreignArguments(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = (...names: string[]): string | null => {
    const found = names
      .map((name) => (Object.hasOwn(given, name) ? given[name] : null))
      .find((value) => typeof value === 'string' && value.trim() !== '');
    return typeof found === 'string' ? found : null;
  };
  const named =
    [given['variables'], given['context']].find(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    ) ?? {};
  return { reason: text('reason', 'message', 'task'), summary: text('summary', 'context'), variables: named };
}

function contentFor(targetId: string, detected: DetectedCall | null, isProposed: boolean): string {
  const dropped = detected?.problem?.code === 'RESERVED_ARGUMENTS' ? ` ${detected.problem.message}.` : '';
  if (isProposed)
    return `Proposed: a person has to approve the handoff to '${targetId}'. You hold the session until then. End your turn: you are told what was decided before your next prompt.${dropped}`;
  return `Handed off to '${targetId}', which goes on with the work: stop here.${dropped}`;
}

/** The answer to a call that was refused. */
export function resultOfRefusal(error: DomainError, callId: string | null): ToolResult {
  const schema =
    error instanceof InvalidToolArgumentsError && error.schema !== null
      ? `\nThe tool takes: ${JSON.stringify(error.schema)}`
      : '';
  return { callId, content: `${error.message}${schema}`, isError: true };
}
