import { contentHash } from '../context/build.ts';
import { carryOf } from '../context/carry.ts';
import type { Context } from '../context/context.ts';
import { statement } from '../core/changes.ts';
import { AlreadyAssignedError, DomainError, type ForbiddenError, InvalidToolArgumentsError, NotFoundError } from '../core/errors.ts';
import type { Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { movedSession } from '../custody/demand.ts';
import { type Move, rules, type RuleName } from '../custody/mayChangeHands.ts';
import type { LockedAgent } from '../custody/read.ts';
import { prepareContext, type Prepared } from '../handoffs/handOver.ts';
import { readMove, startedHandoff } from '../handoffs/initiateHandoff.ts';
import { chooseTarget } from '../handoffs/reassignSession.ts';
import type { GivenArguments } from './arguments.ts';
import { type Call, contentFor, nameOfTool, readCall, targetOf } from './executeCall.ts';
import type { HandoffTool } from './tool.ts';

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
const blocking: readonly string[] = ['target', 'who may hand off', 'version', 'open session', 'active only', 'tool', 'arguments', 'already assigned', 'free choice'];
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
  const read = await readMove(custody, { priorTurnId: null, triggeringToolCallIds: null, targetAgentId: targetAgentId ?? callTarget });
  let target = targetAgentId === null ? chooseTarget(custody, agentType, true) : custody.agent(targetAgentId);
  judge.says('target', targetAgentId !== null && target === null ? new NotFoundError('agent', targetAgentId) : null);

  const started = asOperator ? null : startedHandoff(custody, read);
  const move: Move = { session, expectedVersion: null, target: null, agentType: null, started };
  const [beforeTarget, ofTarget] = splitRules();
  for (const rule of beforeTarget) judge.says(rule.name, rule.refuses(move));

  const asked = call === null || judge.blocked ? null : await readAsked(custody, call);
  judge.says('tool', asked?.refusal != null && ruleOf(asked.refusal) === 'tool' ? asked.refusal : null);
  judge.says('arguments', asked?.refusal != null && ruleOf(asked.refusal) === 'arguments' ? asked.refusal : null);
  if (call !== null) target = asked?.refusal instanceof AlreadyAssignedError ? custody.agent(session!.agentId) : custody.agent(callTarget);
  const permitted = asked?.tool == null ? [] : [asked.tool.targetAgentId];
  const whole: Move = { ...move, target, agentType, started: started && { ...started, collaborators: [...started.collaborators, ...permitted] } };

  let prepared: Prepared | null = null;
  for (const rule of ofTarget) {
    if (rule.name === 'loop' && !judge.blocked && target !== null) {
      prepared = await prepareContext(custody, { summary: asked?.given?.summary ?? null, reason: asked?.given?.reason ?? null, contextVariables: asked?.given?.variables ?? null, ...toolOf(asked, call, read.instructions), carry: asOperator ? null : carryOf(asked?.tool?.carry ?? read.carry), byOperator: asOperator }, target);
      if (whole.started !== null) whole.started = { ...whole.started, contentHash: await hashOf(work, prepared, asked, call) };
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
      else verdicts.push({ rule, passed: refusal === null, code: refusal?.code ?? null, message: refusal?.message ?? null });
      if (refusal !== null && blocking.includes(rule)) this.blocked = true;
    },
  };
}

interface Asked {
  tool: HandoffTool | null;
  given: GivenArguments | null;
  refusal: DomainError | null;
}

async function readAsked(custody: Custody, call: Call): Promise<Asked> {
  if (call.refusal !== null) return { tool: null, given: null, refusal: call.refusal };
  try {
    return { ...(await readCall(custody, call.detected)), refusal: null };
  } catch (error) {
    if (error instanceof DomainError) return { tool: null, given: null, refusal: error };
    throw error;
  }
}

const ruleOf = (refusal: DomainError): string => (refusal instanceof InvalidToolArgumentsError ? 'arguments' : refusal instanceof AlreadyAssignedError ? firstOfTarget : 'tool');

const toolOf = (asked: Asked | null, call: Call | null, instructions: string | null) =>
  asked === null || call?.detected == null ? {} : { tool: { name: nameOfTool(asked.tool, call.detected), instructions: asked.tool === null ? instructions : asked.tool.instructions } };

// The hash of the turn that the call itself would be, as the Context's sources compute it.
const hashOfCall = statement(`SELECT encode(sha256(convert_to(E'\\n' || $1 || ' ' || coalesce($2::jsonb::text, '') || ' ' || $3, 'UTF8')), 'hex') AS hash`);

/** The hash that the loop rule compares. A tool's call is recorded before it is asked. */
async function hashOf(work: Work, { whole, contentHash: plain }: Prepared, asked: Asked | null, call: Call | null): Promise<string> {
  if (asked?.given == null || call?.detected == null) return plain;
  const { toolName, arguments: given } = call.detected;
  const [row] = await work.query<{ hash: string }>(hashOfCall, [toolName, JSON.stringify(given), contentFor(targetOf(call)!, call.detected)]);
  return contentHash(whole, asked.given.summary, row!.hash);
}
