/**
 * The domain's rules as a simple model without the server's code, for comparison in the property test. One operator epoch,
 * one open handoff and one holder per session.
 */
export type Status = 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
export type HandoffStatus = 'INITIATED' | 'ACCEPTED' | 'COMPLETED' | 'FAILED' | 'REJECTED' | 'CANCELLED' | 'TIMED_OUT';

export interface ModelAgent {
  id: string;
  type: string;
  capacity: number;
  status: 'AVAILABLE' | 'DRAINING' | 'OFFLINE';
  archived: boolean;
  collaborators: string[];
}

export interface ModelHandoff {
  source: string | null;
  target: string;
  status: HandoffStatus;
  /** The principal that made each status change. */
  by: Partial<Record<HandoffStatus, string>>;
  agentStarted: boolean;
  epoch: number;
  content: string;
}

export interface ModelPlace {
  type: string;
  finisher: string | null;
  previous: string | null;
  handoff: boolean;
  suspended: boolean;
  /** Who suspended or resumed it last. */
  by: string | null;
  priority: number;
  since: number;
}

export interface ModelSession {
  queue: ModelPlace | null;
  priority: number;
  status: Status;
  holder: string | null;
  tenure: 'PENDING' | 'ACTIVE' | 'PAUSED' | null;
  /** Agents that accepted it, newest first. */
  active: string[];
  handoffs: ModelHandoff[];
  version: number;
  epoch: number;
  maxHandoffs: number;
  lastAgentTurn: string;
  changedBy: { status: Status; by: string } | null;
  /** Nothing happened for so long that its holder counts as silent. */
  silent: boolean;
}

export class Model {
  agents = new Map<string, ModelAgent>();
  sessions: ModelSession[] = [];

  load(id: string): number {
    return this.sessions.filter((s) => s.holder === id && isOpen(s)).length;
  }

  /** The refusal to take a session, or null. */
  refusal(id: string): string | null {
    const agent = this.agents.get(id)!;
    if (agent.archived || agent.status !== 'AVAILABLE') return 'AGENT_UNAVAILABLE';
    return this.load(id) >= agent.capacity ? 'AGENT_AT_CAPACITY' : null;
  }

  leastLoaded(type: string, ...besides: (string | null)[]): string | null {
    const able = [...this.agents.values()].filter(
      (a) => a.type === type && !besides.includes(a.id) && this.refusal(a.id) === null,
    );
    able.sort((a, b) => this.load(a.id) / a.capacity - this.load(b.id) / b.capacity || (a.id < b.id ? -1 : 1));
    return able[0]?.id ?? null;
  }

  #queued = 0;

  create(
    agent: string | null,
    type: string | null,
    maxHandoffs: number,
    { queue = false, priority = 1, recording = false } = {},
  ): string | null {
    let holder = agent;
    if (agent !== null) {
      const refusal = this.refusal(agent);
      if (refusal !== null && !(recording && refusal === 'AGENT_AT_CAPACITY')) return refusal;
    } else if (type !== null) {
      holder = this.leastLoaded(type);
      if (holder === null && !queue) return 'NO_AGENT_AVAILABLE';
    }
    this.sessions.push({
      queue:
        holder === null && type !== null
          ? {
              type,
              finisher: null,
              previous: null,
              handoff: false,
              suspended: false,
              by: null,
              priority,
              since: (this.#queued += 1),
            }
          : null,
      priority,
      status: holder === null ? 'PAUSED' : 'RUNNING',
      holder,
      tenure: holder === null ? null : 'ACTIVE',
      active: holder === null ? [] : [holder],
      handoffs: [],
      version: 1,
      epoch: 0,
      maxHandoffs,
      lastAgentTurn: '',
      changedBy: null,
      silent: false,
    });
    return null;
  }

  reassign(
    s: ModelSession,
    to: { agent: string | null; type: string | null; skip: boolean; queue?: boolean },
    by: string,
  ): string | null {
    if (!isOpen(s)) return 'INVALID_STATE';
    let target = to.agent;
    if (target !== null) {
      if (target === s.holder) return 'ALREADY_ASSIGNED';
      const refusal = this.refusal(target);
      if (refusal !== null) return refusal;
    } else {
      const waiting = openHandoff(s);
      const source = waiting?.status === 'INITIATED' ? waiting.source : null;
      target = this.leastLoaded(to.type!, s.holder, source) ?? this.leastLoaded(to.type!, s.holder);
      if (target === null && to.queue !== true) return 'NO_AGENT_AVAILABLE';
    }
    const open = openHandoff(s);
    s.epoch += 1;
    s.version += 1;
    if (target === null) {
      const { queue: before, status, holder } = s;
      const finisher = this.leave(s, by) ?? before?.finisher ?? null;
      const previous = holder ?? before?.previous ?? null;
      const since = before?.type === to.type ? before.since : (this.#queued += 1);
      const suspended = before === null ? status === 'PAUSED' && holder !== null : before.suspended;
      Object.assign(s, {
        holder: null,
        tenure: null,
        status: 'PAUSED',
        queue: {
          type: to.type!,
          finisher,
          previous,
          handoff: !to.skip,
          suspended,
          by: null,
          priority: s.priority,
          since,
        },
      });
      return null;
    }
    const finisher = s.queue?.handoff === true && s.queue.finisher !== target ? s.queue.finisher : null;
    s.queue = null;
    if (open?.status === 'INITIATED' && open.source === target) {
      end(open, 'CANCELLED', by);
      this.take(s, target);
    } else if (to.skip) {
      this.leave(s, by);
      if (s.holder === null) s.status = 'RUNNING';
      this.take(s, target);
    } else this.handOver(s, target, by, false, finisher);
    return null;
  }

  initiate(s: ModelSession, target: string, by: string): string | null {
    if (!isOpen(s) || s.tenure !== 'ACTIVE') return 'INVALID_STATE';
    const holder = s.holder!;
    if (target === holder) return 'ALREADY_ASSIGNED';
    const cameFrom = s.active.find((id) => id !== holder);
    if (!this.agents.get(holder)!.collaborators.includes(target) && target !== cameFrom) return 'NOT_A_COLLABORATOR';
    const earlier = s.handoffs.filter((h) => h.epoch === s.epoch);
    if (earlier.filter((h) => h.agentStarted).length >= s.maxHandoffs) return 'MAX_HANDOFFS_REACHED';
    if (
      earlier.some(
        (h) =>
          h.source === holder && h.target === target && h.by.ACCEPTED !== undefined && h.content === s.lastAgentTurn,
      )
    )
      return 'HANDOFF_LOOP';
    const refusal = this.refusal(target);
    if (refusal !== null) return refusal;
    s.version += 1;
    this.handOver(s, target, by, true);
    return null;
  }

  private handOver(
    s: ModelSession,
    target: string,
    by: string,
    agentStarted: boolean,
    finisher: string | null = null,
  ): void {
    const source = this.leave(s, by) ?? finisher;
    if (s.holder === null) s.status = 'RUNNING';
    s.handoffs.push({
      source,
      target,
      status: 'INITIATED',
      by: {},
      agentStarted,
      epoch: s.epoch,
      content: s.lastAgentTurn,
    });
    s.holder = target;
    s.tenure = 'PENDING';
  }

  /** Closes the open handoff before a move and returns the agent that the session leaves. */
  private leave(s: ModelSession, by: string): string | null {
    const open = openHandoff(s);
    if (open === null) return s.holder;
    const source = open.status === 'INITIATED' ? open.source : s.holder;
    end(open, open.status === 'INITIATED' ? 'CANCELLED' : 'COMPLETED', by);
    return source;
  }

  private take(s: ModelSession, agent: string): void {
    s.holder = agent;
    s.tenure = s.status === 'PAUSED' ? 'PAUSED' : 'ACTIVE';
    s.active = [agent, ...s.active.filter((id) => id !== agent)];
  }

  changeHandoff(s: ModelSession, index: number, to: Exclude<HandoffStatus, 'INITIATED'>, by: string): string | null {
    const handoff = s.handoffs[index]!;
    const from: HandoffStatus[] =
      to === 'COMPLETED' ? ['ACCEPTED'] : to === 'FAILED' ? ['INITIATED', 'ACCEPTED'] : ['INITIATED'];
    if (!from.includes(handoff.status)) return handoff.by[to] === by ? null : 'INVALID_STATE';
    s.version += 1;
    end(handoff, to, by);
    if (to === 'ACCEPTED') this.take(s, handoff.target);
    else if (to !== 'COMPLETED') this.giveBack(s, handoff);
    return null;
  }

  private giveBack(s: ModelSession, handoff: ModelHandoff): void {
    s.holder = null;
    if (handoff.source !== null && this.refusal(handoff.source) === null) this.take(s, handoff.source);
    else {
      s.tenure = null;
      s.status = 'PAUSED';
    }
  }

  cancelPending(s: ModelSession, by: string): string | null {
    const open = openHandoff(s);
    return open?.status === 'INITIATED' ? this.changeHandoff(s, s.handoffs.indexOf(open), 'CANCELLED', by) : null;
  }

  changeStatus(s: ModelSession, to: Status, by: string): string | null {
    if (s.queue !== null && (to === 'PAUSED' || to === 'RUNNING')) {
      if (s.queue.suspended === (to === 'PAUSED')) return s.queue.by === by ? null : 'INVALID_STATE';
      s.version += 1;
      s.queue.suspended = to === 'PAUSED';
      s.queue.by = by;
      s.changedBy = { status: 'PAUSED', by };
      return null;
    }
    if (s.status === to && s.changedBy?.status === to && s.changedBy.by === by) return null;
    if (!isOpen(s) || s.status === to) return 'INVALID_STATE';
    if (to === 'RUNNING' && s.holder === null) return 'INVALID_STATE';
    s.version += 1;
    if (to === 'RUNNING' || to === 'PAUSED') {
      if (s.tenure !== null && s.tenure !== 'PENDING') s.tenure = to === 'RUNNING' ? 'ACTIVE' : 'PAUSED';
    } else {
      const open = openHandoff(s);
      if (open !== null)
        end(open, open.status === 'INITIATED' ? 'CANCELLED' : to === 'FAILED' ? 'FAILED' : 'COMPLETED', by);
      s.tenure = null;
      s.queue = null;
    }
    s.status = to;
    s.changedBy = { status: to, by };
    return null;
  }

  /** Gives the free places of an agent to those that wait for it, the first one first. */
  drain(id: string): void {
    while (this.refusal(id) === null) {
      const { type } = this.agents.get(id)!;
      const [next] = this.sessions
        .filter(
          ({ queue }) =>
            queue !== null && !queue.suspended && queue.type === type && queue.finisher !== id && queue.previous !== id,
        )
        .sort((a, b) => b.queue!.priority - a.queue!.priority || a.queue!.since - b.queue!.since);
      if (next === undefined) return;
      const { finisher, handoff } = next.queue!;
      next.queue = null;
      next.version += 1;
      next.status = 'RUNNING';
      if (handoff) {
        next.handoffs.push({
          source: finisher,
          target: id,
          status: 'INITIATED',
          by: {},
          agentStarted: false,
          epoch: next.epoch,
          content: next.lastAgentTurn,
        });
        next.holder = id;
        next.tenure = 'PENDING';
      } else this.take(next, id);
    }
  }

  /** What an act does to the queue, and then the task that gives places away: first the agents that the act freed, then the least loaded. */
  giveAway(loadsBefore: ReadonlyMap<string, number>): void {
    for (const id of this.agents.keys()) if (this.load(id) < loadsBefore.get(id)!) this.drain(id);
    const ratio = (id: string): number => this.load(id) / this.agents.get(id)!.capacity;
    for (const id of [...this.agents.keys()].sort((a, b) => ratio(a) - ratio(b) || (a < b ? -1 : 1))) this.drain(id);
  }

  loads(): Map<string, number> {
    return new Map([...this.agents.keys()].map((id) => [id, this.load(id)]));
  }

  turn(s: ModelSession, words: string | null, by: string): string | null {
    if (!isOpen(s)) return 'INVALID_STATE';
    if (words !== null && (s.status !== 'RUNNING' || s.tenure !== 'ACTIVE')) return 'INVALID_STATE';
    s.silent = false;
    if (words === null) return null;
    s.lastAgentTurn = words;
    const open = openHandoff(s);
    if (open?.status === 'ACCEPTED') {
      end(open, 'COMPLETED', by);
      s.version += 1;
    }
    return null;
  }

  setAgentStatus(id: string, status: ModelAgent['status']): string | null {
    const agent = this.agents.get(id)!;
    if (agent.archived) return 'BAD_USER_INPUT';
    agent.status = status;
    return null;
  }

  archive(id: string): string | null {
    const agent = this.agents.get(id)!;
    if (agent.archived) return null;
    if (this.load(id) > 0) return 'INVALID_STATE';
    agent.archived = true;
    agent.status = 'OFFLINE';
    return null;
  }
}

export const isOpen = (s: ModelSession): boolean => s.status === 'RUNNING' || s.status === 'PAUSED';

export function openHandoff(s: ModelSession): ModelHandoff | null {
  const last = s.handoffs.at(-1);
  return last?.status === 'INITIATED' || last?.status === 'ACCEPTED' ? last : null;
}

/** What the session waits for, or how it ended. */
export function situationOf(s: ModelSession): string {
  if (s.queue !== null) return s.queue.suspended ? 'PAUSED' : 'QUEUED';
  if (!isOpen(s)) return s.status;
  if (s.holder === null) return 'WITHOUT_HOLDER';
  if (s.status === 'PAUSED') return 'PAUSED';
  if (s.tenure === 'PENDING') return 'WAITING_FOR_ACCEPTANCE';
  const started = s.handoffs.filter((h) => h.epoch === s.epoch && h.agentStarted).length;
  if (s.maxHandoffs > 0 && started >= s.maxHandoffs) return 'LIMIT_REACHED';
  return s.silent ? 'SILENT' : 'WORKING';
}

function end(handoff: ModelHandoff, status: HandoffStatus, by: string): void {
  handoff.status = status;
  handoff.by[status] = by;
}
