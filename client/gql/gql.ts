/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query Viewer {\n    viewer {\n      role\n      agent {\n        id\n      }\n      key {\n        id\n        name\n      }\n    }\n  }\n": typeof types.ViewerDocument,
    "\n  fragment AgentChip on Agent {\n    id\n    type\n  }\n": typeof types.AgentChipFragmentDoc,
    "\n  query AgentNames {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        type\n      }\n    }\n  }\n": typeof types.AgentNamesDocument,
    "\n  query Agents {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        status\n        ...AgentChip\n      }\n    }\n  }\n": typeof types.AgentsDocument,
    "\n  fragment AgentChoice on Agent {\n    id\n    type\n    role\n    status\n    currentLoad\n    maxCapacity\n    freePlaces\n    ...AgentChip\n  }\n": typeof types.AgentChoiceFragmentDoc,
    "\n  query ContextPreview($sessionId: ID!, $maxTokens: Int!) {\n    contextPreview(sessionId: $sessionId, maxTokens: $maxTokens) {\n      text\n      tokenEstimate\n      redactionCount\n      dropped {\n        id\n      }\n    }\n  }\n": typeof types.ContextPreviewDocument,
    "\n  fragment HandoffBadge on Handoff {\n    id\n    status\n    initiatedAt\n    deadlineAt\n    closedAt\n    reason\n    rejectionReason\n    failureReason\n    cancelReason\n    sourceAgent {\n      id\n    }\n    targetAgent {\n      id\n    }\n  }\n": typeof types.HandoffBadgeFragmentDoc,
    "\n  query ReassignDialog($id: ID!) {\n    session(id: $id) {\n      id\n      title\n      status\n      version\n      agent {\n        id\n        ...AgentChip\n      }\n      openHandoff {\n        id\n        status\n        sourceAgent {\n          id\n        }\n      }\n    }\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        type\n        freePlaces\n        status\n        ...AgentChoice\n      }\n    }\n  }\n": typeof types.ReassignDialogDocument,
    "\n  mutation Reassign($input: ReassignSessionInput!) {\n    reassignSession(input: $input) {\n      __typename\n      ... on ReassignSessionPayload {\n        message\n        handoffCreated\n        session {\n          id\n          version\n          openHandoff {\n            id\n          }\n          ...SessionRow\n        }\n        handoff {\n          id\n          ...HandoffBadge\n        }\n        previousAgent {\n          id\n          ...AgentChoice\n        }\n        assignedAgent {\n          id\n          ...AgentChoice\n        }\n      }\n      ... on AgentAtCapacityError {\n        agentId\n      }\n      ... on BadUserInputError {\n        path\n      }\n      ... on Error {\n        code\n        message\n      }\n    }\n  }\n": typeof types.ReassignDocument,
    "\n  query Sessions($where: SessionFilter!, $first: Int!, $after: String, $count: Boolean!) {\n    sessions(where: $where, first: $first, after: $after) {\n      nodes {\n        id\n        ...SessionRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      totalCount @include(if: $count)\n    }\n  }\n": typeof types.SessionsDocument,
    "\n  fragment SessionRow on Session {\n    id\n    title\n    status\n    createdAt\n    agent {\n      id\n      ...AgentChip\n    }\n    lastHandoff {\n      id\n      ...HandoffBadge\n    }\n  }\n": typeof types.SessionRowFragmentDoc,
    "\n  query SessionCounts {\n    all: sessions(first: 0) {\n      totalCount\n    }\n    running: sessions(first: 0, where: { status: [RUNNING] }) {\n      totalCount\n    }\n    paused: sessions(first: 0, where: { status: [PAUSED] }) {\n      totalCount\n    }\n    completed: sessions(first: 0, where: { status: [COMPLETED] }) {\n      totalCount\n    }\n    failed: sessions(first: 0, where: { status: [FAILED] }) {\n      totalCount\n    }\n    cancelled: sessions(first: 0, where: { status: [CANCELLED] }) {\n      totalCount\n    }\n    unassigned: sessions(first: 0, where: { unassigned: true }) {\n      totalCount\n    }\n    open: sessions(first: 0, where: { hasOpenHandoff: true }) {\n      totalCount\n    }\n  }\n": typeof types.SessionCountsDocument,
};
const documents: Documents = {
    "\n  query Viewer {\n    viewer {\n      role\n      agent {\n        id\n      }\n      key {\n        id\n        name\n      }\n    }\n  }\n": types.ViewerDocument,
    "\n  fragment AgentChip on Agent {\n    id\n    type\n  }\n": types.AgentChipFragmentDoc,
    "\n  query AgentNames {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        type\n      }\n    }\n  }\n": types.AgentNamesDocument,
    "\n  query Agents {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        status\n        ...AgentChip\n      }\n    }\n  }\n": types.AgentsDocument,
    "\n  fragment AgentChoice on Agent {\n    id\n    type\n    role\n    status\n    currentLoad\n    maxCapacity\n    freePlaces\n    ...AgentChip\n  }\n": types.AgentChoiceFragmentDoc,
    "\n  query ContextPreview($sessionId: ID!, $maxTokens: Int!) {\n    contextPreview(sessionId: $sessionId, maxTokens: $maxTokens) {\n      text\n      tokenEstimate\n      redactionCount\n      dropped {\n        id\n      }\n    }\n  }\n": types.ContextPreviewDocument,
    "\n  fragment HandoffBadge on Handoff {\n    id\n    status\n    initiatedAt\n    deadlineAt\n    closedAt\n    reason\n    rejectionReason\n    failureReason\n    cancelReason\n    sourceAgent {\n      id\n    }\n    targetAgent {\n      id\n    }\n  }\n": types.HandoffBadgeFragmentDoc,
    "\n  query ReassignDialog($id: ID!) {\n    session(id: $id) {\n      id\n      title\n      status\n      version\n      agent {\n        id\n        ...AgentChip\n      }\n      openHandoff {\n        id\n        status\n        sourceAgent {\n          id\n        }\n      }\n    }\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        type\n        freePlaces\n        status\n        ...AgentChoice\n      }\n    }\n  }\n": types.ReassignDialogDocument,
    "\n  mutation Reassign($input: ReassignSessionInput!) {\n    reassignSession(input: $input) {\n      __typename\n      ... on ReassignSessionPayload {\n        message\n        handoffCreated\n        session {\n          id\n          version\n          openHandoff {\n            id\n          }\n          ...SessionRow\n        }\n        handoff {\n          id\n          ...HandoffBadge\n        }\n        previousAgent {\n          id\n          ...AgentChoice\n        }\n        assignedAgent {\n          id\n          ...AgentChoice\n        }\n      }\n      ... on AgentAtCapacityError {\n        agentId\n      }\n      ... on BadUserInputError {\n        path\n      }\n      ... on Error {\n        code\n        message\n      }\n    }\n  }\n": types.ReassignDocument,
    "\n  query Sessions($where: SessionFilter!, $first: Int!, $after: String, $count: Boolean!) {\n    sessions(where: $where, first: $first, after: $after) {\n      nodes {\n        id\n        ...SessionRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      totalCount @include(if: $count)\n    }\n  }\n": types.SessionsDocument,
    "\n  fragment SessionRow on Session {\n    id\n    title\n    status\n    createdAt\n    agent {\n      id\n      ...AgentChip\n    }\n    lastHandoff {\n      id\n      ...HandoffBadge\n    }\n  }\n": types.SessionRowFragmentDoc,
    "\n  query SessionCounts {\n    all: sessions(first: 0) {\n      totalCount\n    }\n    running: sessions(first: 0, where: { status: [RUNNING] }) {\n      totalCount\n    }\n    paused: sessions(first: 0, where: { status: [PAUSED] }) {\n      totalCount\n    }\n    completed: sessions(first: 0, where: { status: [COMPLETED] }) {\n      totalCount\n    }\n    failed: sessions(first: 0, where: { status: [FAILED] }) {\n      totalCount\n    }\n    cancelled: sessions(first: 0, where: { status: [CANCELLED] }) {\n      totalCount\n    }\n    unassigned: sessions(first: 0, where: { unassigned: true }) {\n      totalCount\n    }\n    open: sessions(first: 0, where: { hasOpenHandoff: true }) {\n      totalCount\n    }\n  }\n": types.SessionCountsDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    viewer {\n      role\n      agent {\n        id\n      }\n      key {\n        id\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  query Viewer {\n    viewer {\n      role\n      agent {\n        id\n      }\n      key {\n        id\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment AgentChip on Agent {\n    id\n    type\n  }\n"): (typeof documents)["\n  fragment AgentChip on Agent {\n    id\n    type\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AgentNames {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        type\n      }\n    }\n  }\n"): (typeof documents)["\n  query AgentNames {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        type\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Agents {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        status\n        ...AgentChip\n      }\n    }\n  }\n"): (typeof documents)["\n  query Agents {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        status\n        ...AgentChip\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment AgentChoice on Agent {\n    id\n    type\n    role\n    status\n    currentLoad\n    maxCapacity\n    freePlaces\n    ...AgentChip\n  }\n"): (typeof documents)["\n  fragment AgentChoice on Agent {\n    id\n    type\n    role\n    status\n    currentLoad\n    maxCapacity\n    freePlaces\n    ...AgentChip\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ContextPreview($sessionId: ID!, $maxTokens: Int!) {\n    contextPreview(sessionId: $sessionId, maxTokens: $maxTokens) {\n      text\n      tokenEstimate\n      redactionCount\n      dropped {\n        id\n      }\n    }\n  }\n"): (typeof documents)["\n  query ContextPreview($sessionId: ID!, $maxTokens: Int!) {\n    contextPreview(sessionId: $sessionId, maxTokens: $maxTokens) {\n      text\n      tokenEstimate\n      redactionCount\n      dropped {\n        id\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment HandoffBadge on Handoff {\n    id\n    status\n    initiatedAt\n    deadlineAt\n    closedAt\n    reason\n    rejectionReason\n    failureReason\n    cancelReason\n    sourceAgent {\n      id\n    }\n    targetAgent {\n      id\n    }\n  }\n"): (typeof documents)["\n  fragment HandoffBadge on Handoff {\n    id\n    status\n    initiatedAt\n    deadlineAt\n    closedAt\n    reason\n    rejectionReason\n    failureReason\n    cancelReason\n    sourceAgent {\n      id\n    }\n    targetAgent {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ReassignDialog($id: ID!) {\n    session(id: $id) {\n      id\n      title\n      status\n      version\n      agent {\n        id\n        ...AgentChip\n      }\n      openHandoff {\n        id\n        status\n        sourceAgent {\n          id\n        }\n      }\n    }\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        type\n        freePlaces\n        status\n        ...AgentChoice\n      }\n    }\n  }\n"): (typeof documents)["\n  query ReassignDialog($id: ID!) {\n    session(id: $id) {\n      id\n      title\n      status\n      version\n      agent {\n        id\n        ...AgentChip\n      }\n      openHandoff {\n        id\n        status\n        sourceAgent {\n          id\n        }\n      }\n    }\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        type\n        freePlaces\n        status\n        ...AgentChoice\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Reassign($input: ReassignSessionInput!) {\n    reassignSession(input: $input) {\n      __typename\n      ... on ReassignSessionPayload {\n        message\n        handoffCreated\n        session {\n          id\n          version\n          openHandoff {\n            id\n          }\n          ...SessionRow\n        }\n        handoff {\n          id\n          ...HandoffBadge\n        }\n        previousAgent {\n          id\n          ...AgentChoice\n        }\n        assignedAgent {\n          id\n          ...AgentChoice\n        }\n      }\n      ... on AgentAtCapacityError {\n        agentId\n      }\n      ... on BadUserInputError {\n        path\n      }\n      ... on Error {\n        code\n        message\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation Reassign($input: ReassignSessionInput!) {\n    reassignSession(input: $input) {\n      __typename\n      ... on ReassignSessionPayload {\n        message\n        handoffCreated\n        session {\n          id\n          version\n          openHandoff {\n            id\n          }\n          ...SessionRow\n        }\n        handoff {\n          id\n          ...HandoffBadge\n        }\n        previousAgent {\n          id\n          ...AgentChoice\n        }\n        assignedAgent {\n          id\n          ...AgentChoice\n        }\n      }\n      ... on AgentAtCapacityError {\n        agentId\n      }\n      ... on BadUserInputError {\n        path\n      }\n      ... on Error {\n        code\n        message\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Sessions($where: SessionFilter!, $first: Int!, $after: String, $count: Boolean!) {\n    sessions(where: $where, first: $first, after: $after) {\n      nodes {\n        id\n        ...SessionRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      totalCount @include(if: $count)\n    }\n  }\n"): (typeof documents)["\n  query Sessions($where: SessionFilter!, $first: Int!, $after: String, $count: Boolean!) {\n    sessions(where: $where, first: $first, after: $after) {\n      nodes {\n        id\n        ...SessionRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      totalCount @include(if: $count)\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SessionRow on Session {\n    id\n    title\n    status\n    createdAt\n    agent {\n      id\n      ...AgentChip\n    }\n    lastHandoff {\n      id\n      ...HandoffBadge\n    }\n  }\n"): (typeof documents)["\n  fragment SessionRow on Session {\n    id\n    title\n    status\n    createdAt\n    agent {\n      id\n      ...AgentChip\n    }\n    lastHandoff {\n      id\n      ...HandoffBadge\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SessionCounts {\n    all: sessions(first: 0) {\n      totalCount\n    }\n    running: sessions(first: 0, where: { status: [RUNNING] }) {\n      totalCount\n    }\n    paused: sessions(first: 0, where: { status: [PAUSED] }) {\n      totalCount\n    }\n    completed: sessions(first: 0, where: { status: [COMPLETED] }) {\n      totalCount\n    }\n    failed: sessions(first: 0, where: { status: [FAILED] }) {\n      totalCount\n    }\n    cancelled: sessions(first: 0, where: { status: [CANCELLED] }) {\n      totalCount\n    }\n    unassigned: sessions(first: 0, where: { unassigned: true }) {\n      totalCount\n    }\n    open: sessions(first: 0, where: { hasOpenHandoff: true }) {\n      totalCount\n    }\n  }\n"): (typeof documents)["\n  query SessionCounts {\n    all: sessions(first: 0) {\n      totalCount\n    }\n    running: sessions(first: 0, where: { status: [RUNNING] }) {\n      totalCount\n    }\n    paused: sessions(first: 0, where: { status: [PAUSED] }) {\n      totalCount\n    }\n    completed: sessions(first: 0, where: { status: [COMPLETED] }) {\n      totalCount\n    }\n    failed: sessions(first: 0, where: { status: [FAILED] }) {\n      totalCount\n    }\n    cancelled: sessions(first: 0, where: { status: [CANCELLED] }) {\n      totalCount\n    }\n    unassigned: sessions(first: 0, where: { unassigned: true }) {\n      totalCount\n    }\n    open: sessions(first: 0, where: { hasOpenHandoff: true }) {\n      totalCount\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;