import { execute, parse, type DocumentNode, type GraphQLSchema } from 'graphql';
import { NotFoundError } from '../../core/errors.ts';

/** Records for downloads and the archive: read through the API, under its names and with the caller's rights. */

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
  leftOut { tasks decisions files tools calls unansweredCalls messages shortened withheld { kind count reason } }
  carry { messages lastMessages toolCalls files tasks decisions variables maxTokens }
  tokenEstimate redactionCount contentHash
  priorTurn { id } triggeringToolCalls { id callId name } snapshot { id }
  initiatedAt acceptedAt completedAt closedAt deadlineAt
  rejectionReason failureReason cancelReason
  actor { principal role }
  previous { id }
}`;

/** `links` adds the fields that later Handoffs change. */
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

const placesDocument = parse(`query ChainPlaces($id: ID!, $after: String) {
  session(id: $id) {
    handoffs(first: 100, after: $after) { edges { cursor node { depth } } pageInfo { hasNextPage } }
  }
}`);

const chainDocument = parse(`query Chain($id: ID!, $last: Int!, $before: String) {
  session(id: $id) {
    handoffs(last: $last, before: $before) { nodes { ...HandoffRecord } }
  }
}
${handoffRecord}`);

export const documents = [handoffDocument, markdownDocument, sessionDocument, placesDocument, chainDocument];

/** Handoffs in the download of a Session, the newest; it states the number of older ones. */
const longestChain = 200;
/** Handoffs per query: each may have a Context of 256 KB. */
const chainPage = 5;

interface Place {
  cursor: string;
  node: { depth: number };
}
interface PlacesPage {
  session: { handoffs: { edges: Place[]; pageInfo: { hasNextPage: boolean } } } | null;
}
interface ChainPage {
  session: { handoffs: { nodes: object[] } } | null;
}

export type Records = ReturnType<typeof createRecords>;

/** Records as the caller of `createContext` may read them; null otherwise. Rejects with the error of the API. */
export function createRecords({ schema, createContext }: { schema: GraphQLSchema; createContext: () => object }) {
  const run = async <Data>(document: DocumentNode, variableValues: Record<string, unknown>): Promise<Data> => {
    const { data, errors } = await execute({ schema, document, variableValues, contextValue: createContext() });
    if (errors?.[0] !== undefined) throw errors[0];
    return data as Data;
  };
  return {
    async handoffMarkdown(id: string): Promise<string | null> {
      const { handoff } = await run<{ handoff: { markdown: string } | null }>(markdownDocument, { id });
      return handoff?.markdown ?? null;
    },
    async handoffJson(id: string, { links }: { links: boolean }): Promise<string | null> {
      const { handoff } = await run<{ handoff: object | null }>(handoffDocument, { id, links });
      return handoff && print(handoff);
    },
    /** `head` changes with anything in the Session or its chain. `parts` yields the JSON with the chain, first Handoff first, one page at a time. */
    async session(id: string): Promise<{ head: string; parts: () => AsyncGenerator<string, void> } | null> {
      const { session } = await run<{ session: { agentSessions: { nodes: object[] } } | null }>(sessionDocument, {
        id,
      });
      if (session === null) return null;
      // Reads one place more than it shows: the cursor before which the last page ends.
      const places: Place[] = [];
      for (let more = true; more && places.length <= longestChain;) {
        const found = (await run<PlacesPage>(placesDocument, { id, after: places.at(-1)?.cursor ?? null })).session
          ?.handoffs;
        places.push(...(found?.edges ?? []));
        more = found?.pageInfo.hasNextPage === true;
      }
      const length = Math.min(places.length, longestChain);
      const olderHandoffs = (places[length - 1]?.node.depth ?? 1) - 1;
      const head = JSON.stringify(
        { ...session, agentSessions: session.agentSessions.nodes.toReversed(), olderHandoffs },
        null,
        2,
      );
      async function* parts(): AsyncGenerator<string, void> {
        yield `${head.slice(0, -2)},\n  "chain": [`;
        for (let end = length; end > 0; end -= chainPage) {
          const page = await run<ChainPage>(chainDocument, {
            id,
            last: Math.min(chainPage, end),
            before: places[end]?.cursor ?? null,
          });
          if (page.session === null) throw new NotFoundError('session', id);
          const texts = page.session.handoffs.nodes
            .toReversed()
            .map((handoff) => `\n${JSON.stringify(handoff, null, 2)}`.replaceAll('\n', '\n    '));
          yield `${end === length ? '' : ','}${texts.join(',')}`;
        }
        yield length === 0 ? ']\n}\n' : '\n  ]\n}\n';
      }
      return { head, parts };
    },
  };
}

const print = (record: object): string => `${JSON.stringify(record, null, 2)}\n`;
