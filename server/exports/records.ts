import { execute, parse, type DocumentNode, type GraphQLSchema } from 'graphql';

/** What downloads and the archive hold of a record: what the API answers for it, under the API's names and with the rights of who asks. */

const handoffRecord = `fragment HandoffRecord on Handoff {
  id status via depth circular
  session { id title }
  sourceAgent { id } sourceAgentType targetAgent { id } targetAgentType
  sourceAgentSession { id } targetAgentSession { id }
  reason summary summaryComposed
  originalRequest { sequence content shortened recordedBy }
  latestRequest { sequence content shortened recordedBy }
  compactionSummary { sequence content shortened }
  lastMessage { sequence content shortened agentId }
  pendingTasks decisions filesModified
  toolSummaries { toolName callCount errorCount lastResult }
  lastToolCalls { toolName arguments outcome failed shortened }
  recentMessages { sequence role content shortened recordedBy }
  contextVariables { name value setBy }
  workspace { folder branch commit }
  checks { command outcome callId stale }
  failedAttempts { what error callId }
  openQuestions
  instructions metadata
  leftOut { tasks decisions files tools calls unansweredCalls messages shortened }
  tokenEstimate redactionCount contentHash
  priorTurn { id } triggeringToolCalls { id callId name } snapshot { id }
  initiatedAt acceptedAt completedAt closedAt deadlineAt
  rejectionReason failureReason cancelReason
  actor { principal role }
  previous { id }
}`;

/** `links`: also what later Handoffs add to it. */
const handoffDocument = parse(`query HandoffRecord($id: ID!, $links: Boolean!) {
  handoff(id: $id) {
    ...HandoffRecord
    next @include(if: $links) { id }
    chain @include(if: $links) { id depth status sourceAgent { id } targetAgent { id } initiatedAt }
  }
}
${handoffRecord}`);

const markdownDocument = parse('query HandoffMarkdown($id: ID!) { handoff(id: $id) { markdown } }');

const sessionDocument = parse(`query SessionRecord($id: ID!) {
  session(id: $id) {
    id title status version
    agent { id } agentType previousAgentType
    contextVariables { name value setBy }
    metadata result summary endReason handoffsEnabled maxHandoffs
    createdAt updatedAt lastReassignedAt
    usage { inputTokens outputTokens cacheCreationInputTokens cacheReadInputTokens model }
    decisions { id text recordedAt }
    tasks { content status }
    agentSessions(first: 100) {
      nodes { id agent { id } state startSequence endSequence startedAt endedAt initiatedByHandoff { id } terminatedByHandoff { id } }
    }
  }
}`);

const chainDocument = parse(`query Chain($id: ID!, $after: String) {
  session(id: $id) {
    handoffs(first: 20, after: $after) { nodes { ...HandoffRecord } pageInfo { hasNextPage endCursor } }
  }
}
${handoffRecord}`);

export const documents = [handoffDocument, markdownDocument, sessionDocument, chainDocument];

/** So many Handoffs of a Session are in its download; of older ones it says how many there are. */
const longestChain = 200;

export interface Records {
  /** Null when there is none, or none that whoever asks may see. */
  handoffMarkdown(id: string): Promise<string | null>;
  handoffJson(id: string, options: { links: boolean }): Promise<string | null>;
  /** With its chain, the first Handoff first. */
  sessionJson(id: string): Promise<string | null>;
}

interface ChainPage {
  session: { handoffs: { nodes: { depth: number }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } } | null;
}

/** What `createContext` makes decides who asks. Rejects with the error of the API that there was. */
export function createRecords({ schema, createContext }: { schema: GraphQLSchema; createContext: () => object }): Records {
  const ask = async <Data>(document: DocumentNode, variableValues: Record<string, unknown>): Promise<Data> => {
    const { data, errors } = await execute({ schema, document, variableValues, contextValue: createContext() });
    if (errors?.[0] !== undefined) throw errors[0];
    return data as Data;
  };
  return {
    async handoffMarkdown(id) {
      const { handoff } = await ask<{ handoff: { markdown: string } | null }>(markdownDocument, { id });
      return handoff?.markdown ?? null;
    },
    async handoffJson(id, { links }) {
      const { handoff } = await ask<{ handoff: object | null }>(handoffDocument, { id, links });
      return handoff && print(handoff);
    },
    async sessionJson(id) {
      const { session } = await ask<{ session: { agentSessions: { nodes: object[] } } | null }>(sessionDocument, { id });
      if (session === null) return null;
      const chain: { depth: number }[] = [];
      let after: string | null = null;
      do {
        const page: ChainPage = await ask<ChainPage>(chainDocument, { id, after });
        chain.push(...(page.session?.handoffs.nodes ?? []));
        after = page.session?.handoffs.pageInfo.hasNextPage === true ? page.session.handoffs.pageInfo.endCursor : null;
      } while (after !== null && chain.length < longestChain);
      const olderHandoffs = (chain.at(-1)?.depth ?? 1) - 1;
      return print({ ...session, agentSessions: session.agentSessions.nodes.toReversed(), olderHandoffs, chain: chain.reverse() });
    },
  };
}

const print = (record: object): string => `${JSON.stringify(record, null, 2)}\n`;
