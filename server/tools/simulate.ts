import { carryOf } from '../context/carry.ts';
import type { Context } from '../context/context.ts';
import type { PendingCall } from '../context/withCall.ts';
import { statement } from '../core/changes.ts';
import {
  AlreadyAssignedError,
  DomainError,
  type ForbiddenError,
  InvalidToolArgumentsError,
  NoHandoffFoundError,
  NotFoundError,
} from '../core/errors.ts';
import type { Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { movedSession } from '../custody/demand.ts';
import { type Move, rules, type RuleName } from '../custody/mayChangeHands.ts';
import type { LockedAgent } from '../custody/read.ts';
import { presentStage } from '../custody/stages.ts';
import { prepareContext, type Prepared } from '../handoffs/handOver.ts';
import { startedHandoff } from '../handoffs/initiateHandoff.ts';
import { chooseTarget } from '../handoffs/reassignSession.ts';
import type { GivenArguments } from './arguments.ts';
import { askedOf, type Call, contentFor, nameOfTool, pendingCall, readCall, targetOf } from './executeCall.ts';

export interface SimulateInput {
  sessionId: string;
  /** One of these three is set; an operator's may have both an agent and a type. */
  targetAgentId: string | null;
  agentType: string | null;
  call: Call | null;
  /** As reassignSession, else as initiateHandoff or executeHandoffTool. */
  asOperator: boolean;
}

export interface Verdict {
  rule: string;
  /** Null when an earlier refusal makes the rule meaningless. */
  passed: boolean | null;
  code: string | null;
  message: string | null;
}

export interface Simulation {
  verdicts: Verdict[];
  target: LockedAgent | null;
  /** What the Handoff would carry; null when a refusal leaves nothing to carry. */
  context: Context | null;
  reason: string | null;
  title: string;
  sourceAgentId: string | null;
}

/** Without a target or a holder, later rules say nothing. */
const blocking: readonly string[] = [
  'target',
  'who may hand off',
  'version',
  'open session',
  'active only',
  'tool',
  'arguments',
  'already assigned',
  'free choice',
];
const firstOfTarget: RuleName = 'already assigned';
const readOnly = statement('SET TRANSACTION READ ONLY');

/** Asks every rule of a change of hands, as the act itself would, without locks. A read-only transaction. */
export async function simulate(work: Work, input: SimulateInput): Promise<Simulation> {
  const { sessionId, targetAgentId, agentType, call, asOperator } = input;
  await work.begin();
  await work.query(readOnly, []);
  const callTarget = call === null ? null : targetOf(call);
  const custody = await Custody.of(work, sessionId, {
    agents: [targetAgentId, callTarget].filter((id) => id !== null),
    type: targetAgentId === null ? agentType : null,
    everyCandidate: true,
    lock: false,
  });
  const judge = createJudge();
  const session = movedSession(custody);
  const read = await readCall(custody, call ?? noCall, null, targetAgentId ?? callTarget);
  const stage = asOperator ? presentStage(custody) : null;
  let target = targetAgentId === null ? chooseTarget(custody, agentType, true, stage) : custody.agent(targetAgentId);
  judge.says('target', targetAgentId !== null && target === null ? new NotFoundError('agent', targetAgentId) : null);

  const started = asOperator ? null : startedHandoff(custody, read);
  const move: Move = { session, expectedVersion: null, target: null, agentType: null, started };
  const [beforeTarget, ofTarget] = splitRules();
  for (const rule of beforeTarget) judge.says(rule.name, rule.refuses(move));

  const asked = call === null || judge.blocked ? null : readAsked(custody, call, read);
  judge.says('tool', asked?.refusal != null && ruleOf(asked.refusal) === 'tool' ? asked.refusal : null);
  judge.says('arguments', asked?.refusal != null && ruleOf(asked.refusal) === 'arguments' ? asked.refusal : null);
  if (call !== null)
    target =
      asked?.refusal instanceof AlreadyAssignedError ? custody.agent(session!.agentId) : custody.agent(callTarget);
  const permitted = asked?.tool == null ? [] : [asked.tool.targetAgentId];
  const takesBack = custody.openHandoff?.status === 'INITIATED' && custody.openHandoff.sourceAgentId === target?.id;
  const whole: Move = {
    ...move,
    target,
    agentType,
    stage: takesBack ? null : stage,
    started: started && { ...started, collaborators: [...started.collaborators, ...permitted] },
  };

  let prepared: Prepared | null = null;
  for (const rule of ofTarget) {
    if (rule.name === 'loop' && !judge.blocked && target !== null) {
      prepared = await prepareContext(
        custody,
        {
          summary: asked?.given?.summary ?? null,
          reason: asked?.given?.reason ?? null,
          contextVariables: asked?.given?.variables ?? null,
          ...toolOf(asked, call, read.instructions),
          carry: asOperator ? null : carryOf(asked?.tool?.carry ?? read.carry),
          byOperator: asOperator,
          call: callOf(custody, call, read),
        },
        target,
      );
      if (whole.started !== null) whole.started = { ...whole.started, contentHash: prepared.contentHash };
    }
    judge.says(rule.name, rule.refuses(whole));
  }
  return {
    verdicts: judge.verdicts,
    target,
    context: prepared?.context ?? null,
    reason: asked?.given?.reason ?? null,
    title: prepared?.sources.title ?? '',
    sourceAgentId: prepared?.sources.sourceAgentId ?? null,
  };
}

type Rule = { name: RuleName; refuses(this: void, move: Move): DomainError | ForbiddenError | null };

function splitRules(): [readonly Rule[], readonly Rule[]] {
  const at = rules.findIndex(({ name }) => name === firstOfTarget);
  return [rules.slice(0, at), rules.slice(at)];
}

function createJudge() {
  const verdicts: Verdict[] = [];
  return {
    verdicts,
    blocked: false,
    says(rule: string, refusal: DomainError | ForbiddenError | null): void {
      if (this.blocked) verdicts.push({ rule, passed: null, code: null, message: null });
      else
        verdicts.push({
          rule,
          passed: refusal === null,
          code: refusal?.code ?? null,
          message: refusal?.message ?? null,
        });
      if (refusal !== null && blocking.includes(rule)) this.blocked = true;
    },
  };
}

interface Asked {
  tool: ReturnType<typeof askedOf>['tool'];
  given: GivenArguments | null;
  refusal: DomainError | null;
}

const noCall: Call = { callId: null, detected: null, refusal: new NoHandoffFoundError(false) };

function readAsked(custody: Custody, call: Call, read: Awaited<ReturnType<typeof readCall>>): Asked {
  if (call.refusal !== null) return { tool: null, given: null, refusal: call.refusal };
  try {
    return { ...askedOf(custody, call.detected, read), refusal: null };
  } catch (error) {
    if (error instanceof DomainError) return { tool: null, given: null, refusal: error };
    throw error;
  }
}

/** The call as it would be in the log: a tool's call is recorded before the Context is built. */
function callOf(
  { session, work }: Custody,
  call: Call | null,
  read: Awaited<ReturnType<typeof readCall>>,
): PendingCall | null {
  if (call?.detected == null) return null;
  const { toolName, arguments: given } = call.detected;
  const place = { id: work.newId(), turnId: work.newId(), turn: session.turnCount + 1, sequence: session.messageCount };
  return pendingCall(
    { callId: '', name: toolName, arguments: given, result: contentFor(targetOf(call)!, call.detected) },
    place,
    read,
  );
}

const ruleOf = (refusal: DomainError): string =>
  refusal instanceof InvalidToolArgumentsError
    ? 'arguments'
    : refusal instanceof AlreadyAssignedError
      ? firstOfTarget
      : 'tool';

const toolOf = (asked: Asked | null, call: Call | null, instructions: string | null) =>
  asked === null || call?.detected == null
    ? {}
    : {
        tool: {
          name: nameOfTool(asked.tool, call.detected),
          instructions: asked.tool === null ? instructions : asked.tool.instructions,
        },
      };
