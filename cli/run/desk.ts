import { Refused, type Api } from '../../client/api/request.ts';
import type { Call, Tool, Usage } from './conversation.ts';

/** What the runner asks Baton, and tells it. Each request may be sent again: a runner is killed at any point. */

/** A tenure that may be worked on. */
export interface Waiting {
  sessionId: string;
  agentSessionId: string;
  agentId: string;
  /** The handoff that has to be accepted first; null when the tenure is active. */
  handoffId: string | null;
  claim: { runnerId: string; until: string } | null;
  /** Whether it has a turn. */
  isBegun: boolean;
}

const waitingFields = `nodes { id agent { id } lastHandoff { status } agentSession { id state claim { runnerId until }
  initiatedByHandoff { id } turns(last: 1) { nodes { id } } } }`;

interface WaitingPage {
  nodes: {
    id: string;
    agent: { id: string } | null;
    lastHandoff: { status: string } | null;
    agentSession: {
      id: string;
      state: string;
      claim: Waiting['claim'];
      initiatedByHandoff: { id: string } | null;
      turns: { nodes: object[] };
    } | null;
  }[];
}

/** Agents in one request: a request has a limit of cost. */
const agentsAtOnce = 10;

/** Sessions that the agents hold and that are not paused, oldest first. */
export async function waitingFor(ask: Api, agentIds: readonly string[]): Promise<Waiting[]> {
  const found: Waiting[] = [];
  for (let at = 0; at < agentIds.length; at += agentsAtOnce) {
    const ids = agentIds.slice(at, at + agentsAtOnce);
    const lists = ids.map(
      (_, index) =>
        `a${index}: sessions(first: 50, where: { agentId: $a${index}, status: [RUNNING] }, orderBy: { field: CREATED_AT, direction: ASC }) { ${waitingFields} }`,
    );
    const query = `query RunWaiting(${ids.map((_, index) => `$a${index}: ID!`).join(', ')}) { ${lists.join('\n')} }`;
    const variables = Object.fromEntries(ids.map((id, index) => [`a${index}`, id]));
    const pages = await ask<Record<string, WaitingPage>>(query, variables);
    for (const { id, agent, lastHandoff, agentSession } of Object.values(pages).flatMap(({ nodes }) => nodes)) {
      const handoffId = agentSession?.state === 'PENDING' ? agentSession.initiatedByHandoff?.id : null;
      // While a person decides about a handoff, its source has nothing to do.
      if (
        agent !== null &&
        lastHandoff?.status !== 'PROPOSED' &&
        (agentSession?.state === 'PENDING' || agentSession?.state === 'ACTIVE') &&
        handoffId !== undefined
      )
        found.push({
          sessionId: id,
          agentSessionId: agentSession.id,
          agentId: agent.id,
          handoffId,
          claim: agentSession.claim,
          isBegun: agentSession.turns.nodes.length > 0,
        });
    }
  }
  return found;
}

const firstTurnQuery =
  'query RunFirst($id: ID!) { node(id: $id) { ... on AgentSession { turns(last: 1) { nodes { toolCalls { callId } } } } } }';

/** Ids of the calls of the first turn of a tenure. */
export async function firstCalls(ask: Api, id: string): Promise<string[]> {
  const { node } = await ask<{ node: { turns: { nodes: { toolCalls: { callId: string }[] }[] } } | null }>(
    firstTurnQuery,
    { id },
  );
  return node?.turns.nodes.flatMap(({ toolCalls }) => toolCalls.map(({ callId }) => callId)) ?? [];
}

const claimMutation = `mutation RunClaim($input: ClaimTenureInput!) { answer: claimTenure(input: $input) {
  __typename ... on Error { code message } } }`;

/** Claims a tenure, renews or releases the claim. False: another runner has it, or it has ended. */
export async function claimTenure(
  ask: Api,
  input: { agentSessionId: string; runnerId: string; release?: boolean },
): Promise<boolean> {
  try {
    await ask(claimMutation, { input });
    return true;
  } catch (error) {
    if (error instanceof Refused && ['TENURE_CLAIMED', 'INVALID_STATE', 'NOT_FOUND'].includes(error.code)) return false;
    throw error;
  }
}

export interface TurnRead {
  index: number;
  agentSession: { id: string } | null;
  messages: { role: string; kind: string; content: string; sequence: number }[];
  toolCalls: { callId: string; name: string; arguments: unknown; result: string | null; error: string | null }[];
}

/** The newest turns of a Session. */
interface TurnsPage {
  nodes: TurnRead[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

const turnsFields = `nodes { index agentSession { id } messages { role kind content sequence }
  toolCalls { callId name arguments result error } } pageInfo { hasNextPage endCursor }`;
/** Results of calls are large: few turns a page. */
const turnsAtOnce = 20;
/** Since the last step: most often one. */
const newTurns = 3;

/** What others decided about the work of the agent, in words for its model. */
export interface Notice {
  id: string;
  /** Null: a handoff came back. */
  decision: string | null;
  text: string;
  toldAt: string | null;
}

export interface TenureRead {
  session: {
    title: string;
    status: string;
    turns: TurnsPage;
    agentSession: {
      id: string;
      startSequence: number;
      initiatedByHandoff: { id: string; sourceAgent: { id: string } | null } | null;
    } | null;
    agentSessions: { nodes: { id: string; activatedAt: string | null; agent: { id: string } }[] };
    pipeline: {
      stage: string | null;
      guide: string | null;
      pipeline: { transitions: { from: string; outcome: string; payloadSchema: unknown }[] };
    } | null;
  } | null;
  agent: {
    prompt: { text: string };
    collaborators: { id: string; status: string }[];
    notices: Notice[];
  } | null;
}

const tenureQuery = `query RunTenure($sessionId: ID!, $agentId: ID!) {
  session(id: $sessionId) { title status turns(first: ${turnsAtOnce}) { ${turnsFields} }
    agentSession { id startSequence initiatedByHandoff { id sourceAgent { id } } }
    agentSessions(first: 100) { nodes { id activatedAt agent { id } } }
    pipeline { stage guide pipeline { transitions { from outcome payloadSchema } } } }
  agent(id: $agentId) { prompt(sessionId: $sessionId) { text } collaborators { id status } notices(sessionId: $sessionId) { id decision text toldAt } } }`;

export const readTenure = (ask: Api, variables: { sessionId: string; agentId: string }): Promise<TenureRead> =>
  ask<TenureRead>(tenureQuery, variables);

const turnsQuery = `query RunTurns($sessionId: ID!, $first: Int!, $after: String) { session(id: $sessionId) {
  status agentSession { id } turns(first: $first, after: $after) { ${turnsFields} } } }`;

/** What says whether the agent of a tenure may work on. */
interface Holding {
  status: string;
  agentSession: { id: string } | null;
}
type SessionTurns = Holding & { turns: TurnsPage };

const isHeld = ({ status, agentSession }: Holding, agentSessionId: string): boolean =>
  status === 'RUNNING' && agentSession?.id === agentSessionId;

/**
 * The turns of a tenure and what people said in it after the turn with this number, oldest first. `newest` is the Session with its newest
 * turns, when it was read. Null: its agent may not work any more.
 */
export async function readTurns(
  ask: Api,
  { sessionId, agentSessionId }: Pick<Waiting, 'sessionId' | 'agentSessionId'>,
  afterIndex: number,
  newest: SessionTurns | null = null,
): Promise<TurnRead[] | null> {
  const found: TurnRead[] = [];
  const first = afterIndex === 0 ? turnsAtOnce : newTurns;
  const read = async (after: string | null): Promise<SessionTurns | null> =>
    (await ask<{ session: SessionTurns | null }>(turnsQuery, { sessionId, first, after })).session;
  for (let session = newest ?? (await read(null)); ;) {
    if (session === null || !isHeld(session, agentSessionId)) return null;
    for (const turn of session.turns.nodes) {
      if ((turn.agentSession !== null && turn.agentSession.id !== agentSessionId) || turn.index <= afterIndex)
        return found.reverse();
      found.push(turn);
    }
    const { hasNextPage, endCursor } = session.turns.pageInfo;
    if (!hasNextPage) return found.reverse();
    session = await read(endCursor);
  }
}

const toolsQuery = 'query RunTools($id: ID!) { agent(id: $id) { handoffToolDefinitions(format: MCP) } }';

export async function handoffTools(ask: Api, id: string): Promise<Tool[]> {
  const { agent } = await ask<{ agent: { handoffToolDefinitions: Tool[] } | null }>(toolsQuery, { id });
  return agent?.handoffToolDefinitions ?? [];
}

const promptQuery =
  'query RunPrompt($id: ID!, $maxTokens: Int) { handoff(id: $id) { contextPrompt(maxTokens: $maxTokens) { text } } }';
const previewQuery =
  'query RunPreview($id: ID!, $maxTokens: Int) { contextPreview(sessionId: $id, maxTokens: $maxTokens) { text } }';

/** What an agent that takes over reads. */
export async function takeoverPrompt(ask: Api, handoffId: string, maxTokens: number): Promise<string> {
  const { handoff } = await ask<{ handoff: { contextPrompt: { text: string } } | null }>(promptQuery, {
    id: handoffId,
    maxTokens,
  });
  return handoff?.contextPrompt.text ?? '';
}

/** The same for a Session that came without a Handoff, such as one that returned. */
export async function returnedPrompt(ask: Api, sessionId: string, maxTokens: number): Promise<string> {
  const { contextPreview } = await ask<{ contextPreview: { text: string } | null }>(previewQuery, {
    id: sessionId,
    maxTokens,
  });
  return contextPreview?.text ?? '';
}

/** A call in an answer, as Baton read it. */
export interface ReadCall {
  index: number;
  kind: 'HANDOFF' | 'UNRESOLVED' | 'OTHER';
  toolName: string;
  arguments: Record<string, unknown> | null;
  problem: { code: string; message: string } | null;
}

const detectQuery = `query RunDetect($agentId: ID!, $response: JSON!) { detectHandoffs(agentId: $agentId, response: $response) {
  calls { index kind toolName arguments problem { code message } } chosen { index } } }`;

export interface Detected {
  calls: ReadCall[];
  chosen: { index: number } | null;
}

/** Reads the calls in an answer of the agent's model. */
export async function detect(ask: Api, agentId: string, response: unknown): Promise<Detected> {
  const { detectHandoffs } = await ask<{ detectHandoffs: Detected | null }>(detectQuery, { agentId, response });
  return detectHandoffs ?? { calls: [], chosen: null };
}

const appendMutation = `mutation RunStep($input: AppendTurnInput!) { answer: appendTurn(input: $input) {
  ... on AppendTurnPayload { turn { index } } ... on Error { code message } } }`;

const confirmMutation = `mutation RunNotice($input: ConfirmNoticeInput!) { answer: confirmNotice(input: $input) {
  __typename ... on Error { code message } } }`;

/** Records that the model was told. What Baton refuses is told again. */
export async function confirmNotice(ask: Api, { id }: Notice): Promise<void> {
  await ask(confirmMutation, { input: { noticeId: id } }).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
  });
}

/** Records an answer of the model before its tools run, with what the model was told before it. Returns the number of its turn. */
export async function recordStep(
  ask: Api,
  place: { sessionId: string; agentSessionId: string; agentId: string; step: number },
  answer: {
    told: readonly string[];
    text: string;
    calls: readonly Call[];
    usage: (Usage & { model: string }) | null;
    truncated: boolean;
  },
): Promise<number> {
  const { sessionId, agentSessionId, agentId, step } = place;
  const { turn } = await ask<{ turn: { index: number } }>(appendMutation, {
    input: {
      sessionId,
      agentId,
      messages: [
        ...answer.told.map((content) => ({ role: 'SYSTEM', kind: 'STATUS', content })),
        ...(answer.text.trim() === '' ? [] : [{ role: 'ASSISTANT', content: answer.text }]),
      ],
      toolCalls: answer.calls.map(({ id, name, arguments: given, error }) => ({
        callId: id,
        name,
        arguments: given,
        ...(error !== null && { error }),
      })),
      usage: answer.usage,
      truncated: answer.truncated,
      idempotencyKey: `run-${agentSessionId}-${step}`,
    },
  });
  return turn.index;
}

const resultsMutation = `mutation RunResults($input: RecordToolResultsInput!) { answer: recordToolResults(input: $input) {
  ... on RecordToolResultsPayload { session { status agentSession { id } turns(first: 1) { nodes { index } } } }
  ... on Error { code message } } }`;

/** Records the outcome of a call. Returns whether its agent may work on and nothing follows the turn with that number. */
export async function recordResult(
  ask: Api,
  { sessionId, agentSessionId }: Pick<Waiting, 'sessionId' | 'agentSessionId'>,
  { id, result, error }: Pick<Call, 'id' | 'result' | 'error'>,
  lastIndex: number,
): Promise<boolean> {
  const input = { sessionId, results: [{ callId: id, result, error }] };
  const { session } = await ask<{ session: Holding & { turns: { nodes: { index: number }[] } } }>(resultsMutation, {
    input,
  });
  return isHeld(session, agentSessionId) && session.turns.nodes[0]?.index === lastIndex;
}
