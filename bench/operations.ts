import { getNamedType, isEnumType, isObjectType, isScalarType, type GraphQLObjectType } from 'graphql';
import { schema } from '../server/api/graphql/schema.ts';
import { limits } from '../server/core/limits.ts';
import { jsonOf, largest, textOf } from './largestInputs.ts';

/** What operations need: each call makes something new through the API. */
export interface Makes {
  session(): Promise<string>;
  /** An open AgentSession of 'ada'. */
  tenure(): Promise<string>;
  /** An open handoff of 'ada' to 'bob'. */
  handoff(): Promise<string>;
  accepted(): Promise<string>;
  /** A handoff that waits for a person. */
  proposed(): Promise<string>;
  question(): Promise<string>;
  agent(): Promise<string>;
  tool(): Promise<string>;
  webhook(): Promise<string>;
  key(): Promise<string>;
  delivery(): Promise<string>;
  pipeline(): Promise<string>;
  inPipeline(): Promise<string>;
}
type Given = (make: Makes) => Promise<object> | object;

const ofSession: Given = async (make) => ({ sessionId: await make.session() });
const ofHandoff: Given = async (make) => ({ handoffId: await make.handoff() });
const response = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'c1', name: 'transfer_to_bob', input: { reason: textOf(limits.fields.reason) } }],
};
const transcript = (bytes: number): string => {
  const lines: string[] = [];
  for (let size = 0, n = 0; size < bytes; n += 1) {
    const line = JSON.stringify({
      type: 'user',
      uuid: `${Math.random()}`,
      sessionId: 's',
      message: { content: textOf(200) },
    });
    lines.push(line);
    size += line.length + 8;
  }
  return lines.join('\n');
};
let n = 0;
const next = (): number => (n += 1);

/** What each mutation names; `largest` adds all that it may carry. */
export const mutations: Record<string, Given> = {
  acceptHandoff: ofHandoff,
  advancePipeline: async (make) => ({ sessionId: await make.inPipeline(), outcome: 'DONE' }),
  answerQuestion: async (make) => ({ questionId: await make.question() }),
  appendTurn: ofSession,
  approveHandoff: async (make) => ({ handoffId: await make.proposed() }),
  archiveAgent: async (make) => ({ id: await make.agent() }),
  archiveHandoffTool: async (make) => ({ toolId: await make.tool() }),
  archivePipeline: async (make) => ({ slug: await make.pipeline() }),
  askPerson: ofSession,
  cancelHandoff: ofHandoff,
  confirmNotice: async (make) => ({ noticeId: await make.handoff() }),
  cancelPendingHandoffs: ofSession,
  cancelSession: ofSession,
  captureSnapshot: ofSession,
  claimTenure: async (make) => ({ agentSessionId: await make.tenure(), runnerId: 'runner' }),
  completeHandoff: async (make) => ({ handoffId: await make.accepted() }),
  completeSession: ofSession,
  createHandoffTool: () => ({ name: `tool_${next()}`, targetAgentId: 'bob', agentIds: ['ada'] }),
  createKey: () => ({ name: `key ${next()}`, role: 'ANALYST' }),
  createSession: () => ({ agentId: 'ada' }),
  createWebhook: () => ({}),
  definePipeline: () => ({ slug: `pipeline-${next()}`, name: 'Largest', start: 'stage-0' }),
  declineHandoff: async (make) => ({ handoffId: await make.proposed() }),
  deleteWebhook: async (make) => ({ webhookId: await make.webhook() }),
  executeHandoffTool: async (make) => ({ sessionId: await make.session(), toolName: 'transfer_to_bob' }),
  executeHandoffs: async (make) => ({ sessionId: await make.session(), response }),
  failHandoff: async (make) => ({ handoffId: await make.accepted() }),
  failSession: ofSession,
  importAgents: () => ({ defaultType: 'CLAUDE' }),
  importTranscript: async (make) => ({ sessionId: await make.session(), content: transcript(800_000) }),
  initiateHandoff: async (make) => ({ sessionId: await make.session(), targetAgentId: 'bob' }),
  pauseSession: ofSession,
  reassignSession: async (make) => ({ sessionId: await make.session(), agentId: 'bob' }),
  recordDecision: ofSession,
  recordToolResults: ofSession,
  recordWorkingTree: ofSession,
  redeliver: async (make) => ({ deliveryId: await make.delivery() }),
  registerAgent: () => ({ id: `large-${next()}`, type: 'CLAUDE' }),
  rejectHandoff: ofHandoff,
  resumeSession: async (make) => ({ sessionId: await make.session() }),
  revokeKey: async (make) => ({ keyId: await make.key() }),
  setAgentStatus: async (make) => ({ id: await make.agent(), status: 'DRAINING' }),
  setTasks: ofSession,
  timeOutHandoff: ofHandoff,
  touchHandoff: ofHandoff,
  updateAgent: async (make) => ({ id: await make.agent() }),
  updateHandoffTool: async (make) => ({ toolId: await make.tool() }),
  updateSession: ofSession,
  updateWebhook: async (make) => ({ webhookId: await make.webhook() }),
};

/** Records of the largest data. */
export interface LargeData {
  sessionId: string;
  handoffId: string;
  itemId: string;
  webhookId: string;
  slug: string;
}
const page = { first: 100 };
/** The arguments of each query. */
export const queries: Record<string, (of: LargeData) => object> = {
  agent: () => ({ id: 'ada' }),
  agents: () => page,
  approvals: () => page,
  attention: () => page,
  contextItem: ({ handoffId, itemId }) => ({ handoffId, itemId }),
  contextPreview: ({ sessionId }) => ({ sessionId, maxTokens: 100_000 }),
  deliveries: ({ webhookId }) => ({ webhookId, ...page }),
  detectHandoffs: () => ({
    agentId: 'ada',
    response: { content: [...response.content, { type: 'text', text: textOf(900_000) }] },
  }),
  events: () => page,
  handoff: ({ handoffId }) => ({ id: handoffId }),
  handoffCounts: () => page,
  handoffGraph: () => ({ first: 100 }),
  handoffStats: () => ({ groupBy: ['PAIR', 'STATUS', 'DAY'], first: 300 }),
  handoffTools: () => page,
  handoffs: () => page,
  keys: () => page,
  node: ({ handoffId }) => ({ id: handoffId }),
  nodes: ({ handoffId }) => ({ ids: Array.from({ length: 100 }, () => handoffId) }),
  pipeline: ({ slug }) => ({ slug }),
  pipelines: () => ({ first: 50 }),
  queue: () => page,
  rateLimit: () => ({}),
  search: () => ({ query: 'quick brown fox reads changes lines then runs the tests again', first: 50 }),
  session: ({ sessionId }) => ({ id: sessionId }),
  sessionEvents: ({ sessionId }) => ({ sessionId, ...page }),
  sessions: () => page,
  simulateHandoff: ({ sessionId }) => ({
    sessionId,
    toolName: 'transfer_to_bob',
    arguments: { reason: textOf(limits.fields.reason), ...jsonOf(1_000) },
  }),
  simulateApproval: ({ handoffId }) => ({ handoffId }),
  suggestTargets: () => ({ text: textOf(limits.fields.reason), first: 20 }),
  viewer: () => ({}),
  webhooks: () => page,
};
/** Further shapes of lists whose records are large. */
export const shapes: Record<string, string> = {
  'handoffs with 35 prompts':
    'query ($id: ID!) { answer: session(id: $id) { handoffs(first: 35) { nodes { contextPrompt(maxTokens: 100000) { text } } } } }',
  'handoffs with 35 records as Markdown':
    'query ($id: ID!) { answer: session(id: $id) { handoffs(first: 35) { nodes { markdown } } } }',
  'handoffs with 35 Contexts':
    'query ($id: ID!) { answer: session(id: $id) { handoffs(first: 35) { nodes { recentMessages { content } toolSummaries { lastResult } contextVariables { value } } } } }',
  'sessions with 40 metadata and variables':
    '{ answer: sessions(first: 40) { nodes { metadata contextVariables { name value } } } }',
  'sessions with 40 messages each':
    '{ answer: sessions(first: 100) { nodes { messages(first: 40) { nodes { content } } } } }',
};

export const subscriptions: Record<string, (of: LargeData) => object> = {
  handoffAssigned: () => ({ agentId: 'bob' }),
  handoffEvents: () => ({}),
  sessionUpdated: () => ({}),
};

const costly = /^(contextPrompt|contextPreview|markdown|prompt|chain)$/;
/** All fields without arguments that must be given; below lists only plain values, as cost allows. */
function selectionOf(type: GraphQLObjectType, levels: number): string {
  return Object.values(type.getFields())
    .filter(({ name, args }) => !costly.test(name) && args.every((arg) => !String(arg.type).endsWith('!')))
    .flatMap(({ name, type: of }) => {
      const inner = getNamedType(of);
      if (isScalarType(inner) || isEnumType(inner)) return [name];
      if (levels === 0 || !isObjectType(inner) || inner.name.endsWith('Connection')) return [];
      const inside = selectionOf(inner, levels - 1);
      return inside === '' ? [] : [`${name} { ${inside} }`];
    })
    .join(' ');
}

/** A document with variables for one root field. */
export function documentOf(kind: 'query' | 'mutation' | 'subscription', name: string, given: object): string {
  const root = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  }[kind]!;
  const field = root.getFields()[name]!;
  const used = field.args.filter((arg) => arg.name in given);
  const declared = used.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const passed = used.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const type = getNamedType(field.type);
  const selection =
    kind === 'mutation'
      ? '{ __typename ... on Error { code message } }'
      : kind === 'subscription'
        ? '{ id type cursor }'
        : !isObjectType(type)
          ? '{ __typename }'
          : type.name.endsWith('Connection') && isObjectType(getNamedType(type.getFields()['nodes']?.type ?? type))
            ? `{ nodes { __typename ${selectionOf(getNamedType(type.getFields()['nodes']!.type) as GraphQLObjectType, 0)} } }`
            : `{ __typename ${selectionOf(type, 1)} }`;
  return `${kind}${declared === '' ? '' : `(${declared})`} { answer: ${name}${passed === '' ? '' : `(${passed})`} ${selection} }`;
}

export async function inputOf(name: string, make: Makes): Promise<object> {
  const argument = schema.getMutationType()!.getFields()[name]!.args[0]!;
  return largest(argument.type, await mutations[name]!(make));
}
