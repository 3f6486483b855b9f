import { canonicalJson } from '../../core/canonicalJson.ts';
import { BadUserInputError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import { observed, type TracedRecord } from '../../core/observed.ts';
import type { Work } from '../../core/work.ts';
import type {
  AgentSessionState,
  ApprovalDecision,
  HandoffStatus,
  SessionStatus,
} from '../../generated/prisma/client.ts';
import { mergeVariables, type StoredVariables } from '../context/context.ts';
import type { VisibleCounts } from '../context/visible.ts';
import { record } from '../events/record.ts';
import type { EventType } from '../events/topics.ts';
import { takesSessions } from './mayChangeHands.ts';
import type { SessionPipeline } from './pipeline.ts';
import {
  lockAgent,
  readCustody,
  type LockOptions,
  type CustodyRead,
  type HeldSession,
  type LastHandoff,
  type LockedAgent,
  type OpenApproval,
  type QueuedSession,
  type ReadLimit,
  type Tenure,
} from './read.ts';
import { isOpenHandoff, isOpenSession, isOpenTenure } from './rules.ts';
import { captureSnapshot } from './snapshot.ts';

/** How a Handoff ends, with the reason that its status needs. */
export type Ending =
  | { status: 'REJECTED'; rejectionReason: string }
  | { status: 'FAILED'; failureReason: string }
  | { status: 'CANCELLED'; cancelReason: string | null }
  | { status: 'COMPLETED' | 'TIMED_OUT' };

/** The fields stored in the Event of a move without a Handoff. */
export interface MoveNotes {
  reason?: string | null;
  summary?: string | null;
  metadata?: unknown;
}

export const reasonOf = (ending: Ending): string | null =>
  ending.status === 'REJECTED'
    ? ending.rejectionReason
    : ending.status === 'FAILED'
      ? ending.failureReason
      : ending.status === 'CANCELLED'
        ? ending.cancelReason
        : null;

const maxVariableBytes = 64 * 1024;
const sizeOf = (variables: StoredVariables): number =>
  Buffer.byteLength(
    canonicalJson(
      Object.fromEntries(Object.entries(variables).map(([name, { value, setBy }]) => [name, { value, setBy }])),
    ),
  );

/**
 * A locked Session with its holder, last Handoff and the locked agents. Steps stage changes without checking rules, and each
 * keeps loads, tenures and events consistent.
 */
export class Custody {
  readonly session: HeldSession;
  readonly handoff: LastHandoff | null;
  /** The agents that accepted the Session, newest first. */
  readonly active: readonly string[];
  readonly #limits: Readonly<Record<string, ReadLimit>>;
  /** The Session's pipeline; null outside of pipelines. `stages.ts` changes it. */
  readonly pipeline: SessionPipeline | null;
  tenure: Tenure | null;
  /** The Session's place in the queue; null when it does not wait. */
  queued: QueuedSession | null;
  /** What the holder asked of a person and waits for; null when it waits for nobody. */
  approval: OpenApproval | null;
  readonly #isAwaited: boolean;
  /** Tokens that fit into the holder's window; null when not known. */
  readonly contextWindow: number | null;
  readonly #agents: Map<string, LockedAgent>;
  #versioned = false;
  /** The tenure begun by this command, until an Event records it. */
  #begun: Tenure | null = null;

  constructor(
    readonly work: Work,
    read: CustodyRead,
  ) {
    this.session = read.session;
    this.tenure = read.tenure;
    this.handoff = read.handoff;
    this.active = read.active;
    this.#limits = read.limits;
    this.pipeline = read.pipeline;
    this.queued = read.queued;
    this.approval = read.approval;
    this.#isAwaited = read.isAwaited;
    this.contextWindow = read.contextWindow;
    this.#agents = new Map(read.agents.map((agent) => [agent.id, agent]));
  }

  static async of(work: Work, sessionId: string, options: LockOptions = {}): Promise<Custody> {
    return new Custody(work, await readCustody(work, sessionId, options));
  }

  get isOpen(): boolean {
    return isOpenSession(this.session.status);
  }

  get openTenure(): Tenure | null {
    return this.tenure !== null && isOpenTenure(this.tenure.state) ? this.tenure : null;
  }

  /** The open tenure after acceptance; null while PENDING, and for an unassigned Session. */
  get takenTenure(): Tenure | null {
    return this.openTenure?.state === 'PENDING' ? null : this.openTenure;
  }

  get openHandoff(): LastHandoff | null {
    return this.handoff !== null && isOpenHandoff(this.handoff.status) ? this.handoff : null;
  }

  /** The Handoff that waits for a person's approval; null without one. */
  get proposal(): LastHandoff | null {
    return this.handoff?.status === 'PROPOSED' ? this.handoff : null;
  }

  /** Id, for people, of the question that the holder asked; null when none waits for an answer. */
  get questionId(): string | null {
    return this.approval?.kind === 'QUESTION' ? encodeId('question', this.approval.id) : null;
  }

  /** The holder; null for a finished Session, although `session.agentId` keeps the last holder. */
  get holder(): LockedAgent | null {
    return this.isOpen ? this.agent(this.session.agentId) : null;
  }

  get agents(): LockedAgent[] {
    return [...this.#agents.values()];
  }

  agent(id: string | null): LockedAgent | null {
    return id === null ? null : (this.#agents.get(id) ?? null);
  }

  /** What an agent reads of the Session; null for everything, and for an agent without a tenure (rule: carry). */
  limitOf(agentId: string | null): ReadLimit | null {
    return agentId !== null && Object.hasOwn(this.#limits, agentId) ? this.#limits[agentId]! : null;
  }

  /** The limit of a tenure that begins now and reads only what follows. */
  limitFromNow(): ReadLimit {
    return { from: this.session.messageCount + 1, eventsFrom: this.session.eventCount + 1 };
  }

  /** Increments the version once per command. A change of status ends the reason of a pause. */
  changed(fields: Partial<HeldSession> = {}): void {
    const version = this.#versioned ? this.session.version : this.session.version + 1;
    this.#versioned = true;
    const over = fields.status !== undefined && this.session.pauseReason !== null ? { pauseReason: null } : {};
    this.work.change('sessions', this.session, { ...over, ...fields, version, updatedAt: this.work.now });
  }

  /** Pauses the Session; the holder keeps it. A PENDING tenure stays PENDING (rule: accept). */
  pause(reason: string | null): void {
    if (this.openTenure?.state === 'ACTIVE') this.setTenureState(this.openTenure, 'PAUSED');
    this.setStatus('PAUSED', { pauseReason: reason });
    this.recordCustody('SESSION_STATUS_CHANGED', { reason });
  }

  /** Locks the holder for a command that locked no agent. With an open Handoff, the holder is its target and locked already. */
  async lockHolder(): Promise<LockedAgent | null> {
    const { agentId } = this.session;
    if (!this.isOpen || agentId === null) return null;
    const holder = this.agent(agentId) ?? (await lockAgent(this.work, agentId));
    this.#agents.set(agentId, holder);
    return holder;
  }

  setStatus(status: SessionStatus, fields: Partial<HeldSession> = {}): void {
    this.changed({ ...fields, status });
  }

  setTenureState(tenure: Tenure, state: AgentSessionState): void {
    this.work.change('agent_sessions', tenure, {
      state,
      ...(tenure.activatedAt === null && (state === 'ACTIVE' || state === 'PAUSED')
        ? { activatedAt: this.work.now }
        : {}),
    });
  }

  /**
   * Merges these over the Session's context variables and marks each with its setter.
   * @throws BadUserInputError when the result exceeds the size limit.
   */
  variablesWith(
    given: Record<string, unknown> | null,
    setBy: string = this.work.caller.agentId ?? this.work.caller.principal,
  ): StoredVariables {
    const merged = mergeVariables(
      this.session.contextVariables as StoredVariables,
      given ?? {},
      setBy,
      this.session.messageCount,
    );
    if (sizeOf(merged) > maxVariableBytes) {
      throw new BadUserInputError(
        `The session's context variables would be larger than ${maxVariableBytes} bytes with these: shorten or replace some`,
        ['input', 'contextVariables'],
      );
    }
    return merged;
  }

  /** Ends the open tenure and releases its agent's place. */
  endTenure(
    state: 'HANDED_OFF' | 'COMPLETED' | 'FAILED' | 'DECLINED',
    terminatedByHandoffId: string | null = null,
  ): void {
    const tenure = this.openTenure;
    if (tenure === null) return;
    this.#withdraw();
    this.work.change('agent_sessions', tenure, {
      state,
      endSequence: this.session.messageCount,
      endedAt: this.work.now,
      ...(terminatedByHandoffId === null ? {} : { terminatedByHandoffId }),
    });
    this.trace('tenure', tenure.id);
    const agent = this.agent(tenure.agentId);
    if (agent === null) return;
    this.work.change('agents', agent, { currentLoad: agent.currentLoad - 1 });
    // A Session that is queued at this very moment is not seen here: the next round of `assignQueued` finds it.
    if (this.#isAwaited) this.work.freed.set(agent.id, agent);
  }

  /** What the holder asked of a person ends with its tenure. A Session that paused for an answer goes on with the next holder. */
  #withdraw(): void {
    if (this.approval === null) return;
    if (this.approval.kind === 'HANDOFF') return this.closeProposal({ status: 'CANCELLED', reason: 'superseded' });
    this.decide('CANCELLED');
    if (this.session.status === 'PAUSED') this.setStatus('RUNNING');
  }

  /** Ends what waits for a person. */
  decide(decision: ApprovalDecision, given: { note?: string | null; edits?: unknown } = {}): void {
    const { work, approval } = this;
    if (approval === null) throw new Error(`session ${this.session.id} waits for no person`);
    const { note = null, edits = null } = given;
    work.change('approvals', approval, {
      decision,
      decidedAt: work.now,
      note,
      edits: edits as never,
      decidedPrincipal: work.caller.principal,
      decidedRole: work.caller.role,
    });
    this.approval = null;
  }

  /** Ends a Handoff that nobody approved. Custody is where it was. */
  closeProposal({
    status,
    reason = null,
  }: {
    status: 'DECLINED' | 'TIMED_OUT' | 'CANCELLED';
    reason?: string | null;
  }): void {
    const { proposal, work } = this;
    if (proposal === null) throw new Error(`session ${this.session.id} has no proposed handoff`);
    work.change('handoffs', proposal, {
      status,
      closedAt: work.now,
      ...(status === 'CANCELLED' && { cancelReason: reason }),
    });
    this.decide(status, { note: status === 'DECLINED' ? reason : null });
    this.changed();
    this.recordHandoff(`HANDOFF_${status}`, proposal, { reason });
    this.reportHandoff(proposal);
  }

  /** Opens a tenure: takes a place of the agent, makes it the holder and captures a snapshot of its context. */
  beginTenure(
    agent: LockedAgent,
    state: 'PENDING' | 'ACTIVE' | 'PAUSED',
    visible: VisibleCounts,
    limit: ReadLimit | null = null,
  ): Tenure {
    this.work.change('agents', agent, { currentLoad: agent.currentLoad + 1, totalAssigned: agent.totalAssigned + 1 });
    const tenure = this.work.insert('agent_sessions', {
      id: this.work.newId(),
      sessionId: this.session.id,
      agentId: agent.id,
      state,
      startSequence: this.session.messageCount + 1,
      endSequence: null,
      startedAt: this.work.now,
      activatedAt: state === 'PENDING' ? null : this.work.now,
      endedAt: null,
      terminatedByHandoffId: null,
      proposalEventId: null,
      runnerId: null,
      claimEndsAt: null,
      readsFrom: limit?.from ?? null,
      readsEventsFrom: limit?.eventsFrom ?? null,
    });
    this.tenure = tenure;
    this.#begun = tenure;
    this.changed({ agentId: agent.id, lastAgentSessionId: tenure.id });
    captureSnapshot(this.work, this.session, 'SESSION_START', tenure.id, visible);
    return tenure;
  }

  /** Takes the Session out of the queue. */
  leaveQueue(): void {
    if (this.queued !== null) this.work.changes.clear('queue_entries', this.session.id);
    this.queued = null;
  }

  /** Closes and records the open Handoff. The caller moves custody. */
  closeHandoff(handoff: LastHandoff, ending: Ending): void {
    const { now } = this.work;
    this.work.change('handoffs', handoff, {
      ...ending,
      closedAt: now,
      ...(ending.status === 'COMPLETED' ? { completedAt: now } : {}),
    });
    this.changed();
    this.recordHandoff(`HANDOFF_${ending.status}`, handoff, { reason: reasonOf(ending) });
    this.reportHandoff(handoff);
    this.trace('handoff', handoff.id);
  }

  acceptHandoff(handoff: LastHandoff): void {
    this.work.change('handoffs', handoff, { status: 'ACCEPTED' satisfies HandoffStatus, acceptedAt: this.work.now });
    this.changed();
    this.recordHandoff('HANDOFF_ACCEPTED', handoff);
    this.reportHandoff(handoff);
  }

  /** Reports to the traces, after the commit, that a record began its Session's trace or ended. */
  trace(record: TracedRecord, id: string): void {
    const { pool } = this.work;
    this.work.afterCommit(() => observed('traced', pool, { record, id, sessionId: this.session.id }));
  }

  /** Reports the Handoff's new status to the metrics, after the commit. */
  reportHandoff({
    status,
    via,
    initiatedAt,
    acceptedAt = null,
  }: Pick<LastHandoff, 'status' | 'via' | 'initiatedAt'> & { acceptedAt?: Date | null }): void {
    const { now: at, pool } = this.work;
    this.work.afterCommit(() => observed('handoff', pool, { status, via, initiatedAt, acceptedAt, at }));
  }

  /**
   * Returns the Session to the source of the Handoff if that agent is available with a free place; otherwise unassigns and
   * pauses it (rule: return). The caller has closed the Handoff.
   */
  returnToSource(
    handoff: LastHandoff,
    ended: 'DECLINED' | 'FAILED',
    visible: VisibleCounts,
    notes: MoveNotes = {},
  ): void {
    const previousHolder = this.agent(handoff.targetAgentId);
    const source = this.agent(handoff.sourceAgentId);
    this.endTenure(ended);
    const moved = { previousAgentType: previousHolder?.type ?? null, lastReassignedAt: this.work.now };
    if (source !== null && takesSessions(source)) {
      this.changed(moved);
      this.beginTenure(source, this.stateOfTaken(), visible, this.limitOf(source.id));
      this.recordCustody('SESSION_RETURNED', { previousHolder, source, handoff, ...notes });
    } else {
      this.setStatus('PAUSED', { ...moved, agentId: null });
      this.recordCustody('SESSION_UNASSIGNED', { previousHolder, source, handoff, ...notes });
    }
  }

  /** The state of a tenure accepted now, which follows the Session's status. */
  stateOfTaken(): 'ACTIVE' | 'PAUSED' {
    return this.session.status === 'PAUSED' ? 'PAUSED' : 'ACTIVE';
  }

  /** Call it before custody moves: the SESSION_ event after it has the new holder. */
  recordHandoff(
    type: EventType,
    handoff: Pick<LastHandoff, 'id' | 'targetAgentId' | 'sourceAgentId'> & { targetAgentSessionId?: string | null },
    {
      holderId = this.session.agentId,
      reason = null,
      metadata = null,
    }: { holderId?: string | null; reason?: string | null; metadata?: unknown } = {},
  ): void {
    record(this.work, {
      type,
      session: this.session,
      holderId,
      handoffId: handoff.id,
      reason,
      metadata,
      // The target of a proposal never heard of it.
      parts: {
        target: handoff.targetAgentSessionId === null ? null : this.agent(handoff.targetAgentId),
        source: this.agent(handoff.sourceAgentId),
      },
    });
  }

  /** Records a log entry in the Session's stream only: no inbox, no new version. */
  recordLog(type: 'TURN_APPENDED' | 'LOG_CHANGED'): void {
    this.work.change('sessions', this.session, { updatedAt: this.work.now });
    record(this.work, { type, session: this.session, holderId: this.isOpen ? this.session.agentId : null, parts: {} });
  }

  /** Records a custody move or a change of the Session. A tenure begun by this move stores the Event's id. */
  recordCustody(
    type: EventType,
    act: MoveNotes & {
      previousHolder?: LockedAgent | null;
      source?: LockedAgent | null;
      handoff?: { id: string } | null;
    } = {},
  ): void {
    const eventId = record(this.work, {
      type,
      session: this.session,
      holderId: this.isOpen ? this.session.agentId : null,
      handoffId: act.handoff?.id ?? null,
      reason: act.reason ?? null,
      summary: act.summary ?? null,
      metadata: act.metadata ?? null,
      parts: {
        holder: this.agent(this.session.agentId),
        previousHolder: act.previousHolder ?? null,
        source: act.source ?? null,
      },
    });
    if (this.#begun !== null) this.work.change('agent_sessions', this.#begun, { startEventId: eventId });
    this.#begun = null;
  }
}
