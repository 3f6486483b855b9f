import type { Api } from '../../client/api/request.ts';
import { unquotedOutput } from './quotedOutput.ts';

/** Follows a Session as it grows, also when another runner works on it. */

export interface Followed {
  status: string;
  result: unknown;
  endReason: string | null;
  pauseReason: string | null;
  question: { id: string; text: string; options: string[] | null } | null;
  /** What a person has to decide. */
  approval: { kind: 'HANDOFF' | 'QUESTION' } | null;
  summary: string | null;
  agent: { id: string } | null;
  agentSession: { id: string; claim: { until: string } | null } | null;
  usage: { inputTokens: number; outputTokens: number };
  handoffs: { nodes: HandoffRead[] };
  turns: { nodes: TurnRead[] };
}

interface HandoffRead {
  depth: number;
  status: string;
  reason: string | null;
  approval?: { note: string | null } | null;
  cancelReason?: string | null;
  targetAgentSession?: { id: string } | null;
  sourceAgent: { id: string } | null;
  targetAgent: { id: string };
}

interface TurnRead {
  index: number;
  agentSession: { agent: { id: string } } | null;
  messages: { role: string; content: string }[];
  toolCalls: { callId: string; name: string; result: string | null; error: string | null }[];
}

const followQuery = `query AskFollow($id: ID!) { session(id: $id) { status result endReason pauseReason question { id text options } approval { kind } summary agent { id }
  agentSession { id claim { until } } usage { inputTokens outputTokens }
  handoffs(first: 10) { nodes { depth status reason approval { note } cancelReason targetAgentSession { id } sourceAgent { id } targetAgent { id } } }
  turns(first: 10) { nodes { index agentSession { agent { id } } messages { role content }
    toolCalls { callId name result error } } } } }`;

/** Where a person decides what the Session waits for. */
export const decideAt = ({ url, sessionId }: { url: string; sessionId: string }): string =>
  `${url}/decide/${sessionId}`;

/** Prints what is new in a Session. */
export class Follower {
  #turn = 0;
  #handoff = 0;
  /** Number of the handoff that waits for a person. */
  #proposed = 0;
  #question: string | null = null;
  readonly #told = new Set<string>();

  constructor(
    private readonly ask: Api,
    private readonly place: { sessionId: string; url: string },
    private readonly show: (line: string) => void,
  ) {}

  /** Prints what happened since the last look, and returns the Session. */
  async look(): Promise<Followed> {
    const { session } = await this.ask<{ session: Followed }>(followQuery, { id: this.place.sessionId });
    const handoffs = session.handoffs.nodes.toSorted((a, b) => a.depth - b.depth);
    this.#decided(handoffs.find(({ depth }) => depth === this.#proposed));
    for (const turn of session.turns.nodes.toSorted((a, b) => a.index - b.index)) {
      if (turn.index > this.#turn) this.#words(turn);
      this.#turn = Math.max(this.#turn, turn.index);
      this.#outcomes(turn);
      // A handoff stands after the turn of its source.
      const next = handoffs.find(
        ({ depth, sourceAgent }) => depth > this.#handoff && sourceAgent?.id === turn.agentSession?.agent.id,
      );
      if (next !== undefined && turn.toolCalls.some(({ result }) => result?.includes(`'${next.targetAgent.id}'`)))
        this.#moved(next);
    }
    for (const handoff of handoffs.filter(({ depth }) => depth > this.#handoff)) this.#moved(handoff);
    this.#asked(session);
    return session;
  }

  #words({ agentSession, messages }: TurnRead): void {
    for (const { role, content } of messages) {
      const who = agentSession?.agent.id ?? role.toLowerCase();
      const isTold = agentSession !== null && role === 'SYSTEM';
      if (content.trim() !== '')
        this.show(isTold ? `  ${who} is told: ${content.trim()}` : `${who}: ${content.trim()}`);
    }
  }

  #asked({ question, agent }: Followed): void {
    if (question === null || question.id === this.#question) return;
    this.#question = question.id;
    const options = question.options === null ? '' : ` (${question.options.join(' / ')})`;
    this.show(`${agent?.id} asks a person: ${question.text}${options}`);
    this.show(`answer at ${decideAt(this.place)}`);
  }

  #outcomes({ agentSession, toolCalls }: TurnRead): void {
    for (const { callId, name, result, error } of toolCalls) {
      if (this.#told.has(callId) || (result === null && error === null)) continue;
      this.#told.add(callId);
      this.show(
        `  ${agentSession?.agent.id ?? ''} ${name}: ${error === null ? shortened(unquotedOutput(result ?? '')) : `refused: ${shortened(error)}`}`,
      );
    }
  }

  /** What a person decided about the handoff that waited for it. */
  #decided(proposed: HandoffRead | undefined): void {
    if (proposed === undefined || proposed.status === 'PROPOSED') return;
    this.#proposed = 0;
    const note = proposed.approval?.note ?? proposed.cancelReason;
    const decision = undecided[proposed.status];
    // An approved one may have ended since.
    if (decision === undefined || proposed.targetAgentSession != null) this.#moved(proposed);
    else this.show(`the handoff to ${proposed.targetAgent.id} was ${decision}${note ? `: ${shortened(note)}` : ''}`);
  }

  #moved({ depth, status, reason, sourceAgent, targetAgent }: HandoffRead): void {
    this.#handoff = Math.max(this.#handoff, depth);
    if (status === 'PROPOSED') {
      this.#proposed = depth;
      return this.show(`a person has to approve the handoff to ${targetAgent.id}: ${decideAt(this.place)}`);
    }
    this.show(
      `${sourceAgent === null ? '' : `${sourceAgent.id} `}-> ${targetAgent.id}${reason === null ? '' : `: ${shortened(reason)}`}`,
    );
  }
}

/** How a proposed handoff ends that moves nothing. */
const undecided: Partial<Record<string, string>> = {
  DECLINED: 'declined',
  TIMED_OUT: 'not decided in time',
  CANCELLED: 'taken back',
};

const longest = 160;
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 3)}...` : line;
}

const chainQuery = `query AskChain($id: ID!) { session(id: $id) { lastHandoff { chain {
  depth status reason sourceAgent { id } targetAgent { id } } } } }`;

/** All handoffs of a Session, oldest first. */
export async function chainOf(ask: Api, id: string): Promise<object[]> {
  const { session } = await ask<{ session: { lastHandoff: { chain: HandoffRead[] } | null } }>(chainQuery, { id });
  return (session.lastHandoff?.chain ?? []).map(({ status, reason, sourceAgent, targetAgent }) => ({
    from: sourceAgent?.id ?? null,
    to: targetAgent.id,
    reason,
    status,
  }));
}
