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
    "\n  query Agents {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        status\n        ...AgentChip\n      }\n    }\n  }\n": typeof types.AgentsDocument,
    "\n  fragment HandoffBadge on Handoff {\n    id\n    status\n    initiatedAt\n    deadlineAt\n    closedAt\n    reason\n    rejectionReason\n    failureReason\n    cancelReason\n    sourceAgent {\n      id\n    }\n    targetAgent {\n      id\n    }\n  }\n": typeof types.HandoffBadgeFragmentDoc,
    "\n  fragment SessionRow on Session {\n    id\n    title\n    status\n    createdAt\n    agent {\n      id\n      ...AgentChip\n    }\n    lastHandoff {\n      id\n      ...HandoffBadge\n    }\n  }\n": typeof types.SessionRowFragmentDoc,
    "\n  query Sessions($where: SessionFilter, $first: Int!, $after: String) {\n    sessions(where: $where, first: $first, after: $after) {\n      nodes {\n        id\n        ...SessionRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.SessionsDocument,
};
const documents: Documents = {
    "\n  query Viewer {\n    viewer {\n      role\n      agent {\n        id\n      }\n      key {\n        id\n        name\n      }\n    }\n  }\n": types.ViewerDocument,
    "\n  fragment AgentChip on Agent {\n    id\n    type\n  }\n": types.AgentChipFragmentDoc,
    "\n  query Agents {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        status\n        ...AgentChip\n      }\n    }\n  }\n": types.AgentsDocument,
    "\n  fragment HandoffBadge on Handoff {\n    id\n    status\n    initiatedAt\n    deadlineAt\n    closedAt\n    reason\n    rejectionReason\n    failureReason\n    cancelReason\n    sourceAgent {\n      id\n    }\n    targetAgent {\n      id\n    }\n  }\n": types.HandoffBadgeFragmentDoc,
    "\n  fragment SessionRow on Session {\n    id\n    title\n    status\n    createdAt\n    agent {\n      id\n      ...AgentChip\n    }\n    lastHandoff {\n      id\n      ...HandoffBadge\n    }\n  }\n": types.SessionRowFragmentDoc,
    "\n  query Sessions($where: SessionFilter, $first: Int!, $after: String) {\n    sessions(where: $where, first: $first, after: $after) {\n      nodes {\n        id\n        ...SessionRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.SessionsDocument,
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
export function graphql(source: "\n  query Agents {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        status\n        ...AgentChip\n      }\n    }\n  }\n"): (typeof documents)["\n  query Agents {\n    agents(first: 100, orderBy: { field: ID, direction: ASC }) {\n      nodes {\n        id\n        status\n        ...AgentChip\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment HandoffBadge on Handoff {\n    id\n    status\n    initiatedAt\n    deadlineAt\n    closedAt\n    reason\n    rejectionReason\n    failureReason\n    cancelReason\n    sourceAgent {\n      id\n    }\n    targetAgent {\n      id\n    }\n  }\n"): (typeof documents)["\n  fragment HandoffBadge on Handoff {\n    id\n    status\n    initiatedAt\n    deadlineAt\n    closedAt\n    reason\n    rejectionReason\n    failureReason\n    cancelReason\n    sourceAgent {\n      id\n    }\n    targetAgent {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SessionRow on Session {\n    id\n    title\n    status\n    createdAt\n    agent {\n      id\n      ...AgentChip\n    }\n    lastHandoff {\n      id\n      ...HandoffBadge\n    }\n  }\n"): (typeof documents)["\n  fragment SessionRow on Session {\n    id\n    title\n    status\n    createdAt\n    agent {\n      id\n      ...AgentChip\n    }\n    lastHandoff {\n      id\n      ...HandoffBadge\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Sessions($where: SessionFilter, $first: Int!, $after: String) {\n    sessions(where: $where, first: $first, after: $after) {\n      nodes {\n        id\n        ...SessionRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query Sessions($where: SessionFilter, $first: Int!, $after: String) {\n    sessions(where: $where, first: $first, after: $after) {\n      nodes {\n        id\n        ...SessionRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;