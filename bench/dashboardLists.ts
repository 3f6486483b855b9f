import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import { encodeId } from '../server/core/ids.ts';

/** A list of Baton and the same rows and columns from PostGraphile 5. */
export interface List {
  what: string;
  ours: { query: string; variables?: object };
  theirs: string;
}

/** Ids of records that some of the documents name. */
interface Named {
  webhookId: string;
  pipelineId: string;
}

const documents = Object.values(
  JSON.parse(readFileSync(new URL('../client/gql/persisted-documents.json', import.meta.url), 'utf8')) as Record<
    string,
    string
  >,
);

/** The dashboard's own document of this name. */
function documentOf(name: string): string {
  const found = documents.find((each) => new RegExp(`\\bquery ${name}\\b`).test(each));
  if (found === undefined) throw new Error(`The dashboard has no document ${name}`);
  return found;
}

const page = 'pageInfo { hasNextPage endCursor }';
const chip = '{ rowId type }';
const agentRow = 'rowId administrativeStatus currentLoad maxCapacity name role type';
const badge =
  'cancelReason closedAt deadlineAt failureReason rowId initiatedAt reason rejectionReason status sourceAgentId targetAgentId';
const tool = 'rowId carry description name';
const newest = 'orderBy: [INITIATED_AT_DESC, ROW_ID_DESC]';
const oldest = 'orderBy: [INITIATED_AT_ASC, ROW_ID_ASC]';
const created = 'orderBy: [CREATED_AT_DESC, ROW_ID_DESC]';
const pipelines = 'orderBy: [SLUG_ASC, VERSION_ASC]';
const counted = (name: string, condition: string): string =>
  `${name}: allSessions(first: 0${condition === '' ? '' : `, condition: { ${condition} }`}) { totalCount }`;

/**
 * Root lists of the dashboard, each by its own document. Without `Graph`, `LogSearch` and `PaletteSearch`, which ask for more than tables.
 */
export function dashboardLists({ webhookId, pipelineId }: Named): List[] {
  const list = (name: string, variables: object, theirs: string, note = ''): List => ({
    what: `${name}${note && ` ${note}`}, the dashboard's document`,
    ours: { query: documentOf(name), variables },
    theirs: `{ ${theirs} }`,
  });
  const handoffRow = `rowId initiatedAt reason sessionBySessionId { rowId title } agentBySourceAgentId ${chip} agentByTargetAgentId ${chip} ${badge}`;
  const agents = (first: number, row: string): string =>
    `allAgents(first: ${first}, condition: { archivedAt: null }, orderBy: [ROW_ID_ASC]) { nodes { ${row} } ${page} totalCount }`;
  return [
    list('Agents', { tally: false, count: true }, agents(100, agentRow)),
    list(
      'Agents',
      { tally: true, count: true },
      agents(
        100,
        `handoffsBySourceAgentId(first: 0) { totalCount } handoffsByTargetAgentId(first: 0) { totalCount } ${agentRow}`,
      ),
      'with counts',
    ),
    list('AgentsToChoose', {}, agents(100, 'currentLoad rowId maxCapacity role administrativeStatus type')),
    list(
      'AgentPage',
      { id: 'agent-3', own: true },
      `agentByRowId(rowId: "agent-3") { ${agentRow} archivedAt contextWindow description model registeredAt totalAssigned handoffsBySourceAgentId(first: 0) { totalCount } handoffsByTargetAgentId(first: 0) { totalCount } }
       heldSessions(agent: "agent-3", first: 10) { nodes { rowId status title } totalCount }`,
    ),
    list(
      'Collaborations',
      { id: 'agent-3' },
      `agentByRowId(rowId: "agent-3") { rowId agentCollaboratorsByAgentId { nodes { when collaboratorId } } }
       out: allHandoffToolOffers(condition: { agentId: "agent-3" }, first: 50) { nodes { handoffToolByToolId { ${tool} agentByTargetAgentId ${chip} } } totalCount }
       in: allHandoffTools(condition: { targetAgentId: "agent-3" }, first: 25) { nodes { handoffToolOffersByToolId { nodes { agentByAgentId ${chip} } } ${tool} } totalCount }`,
    ),
    list(
      'HeldSessions',
      { agentId: 'busy' },
      `heldSessions(agent: "busy", first: 100) { nodes { rowId title } ${page} totalCount }`,
    ),
    list(
      'Handoffs',
      { where: {}, count: false },
      `allHandoffs(first: 50, ${newest}) { nodes { ${handoffRow} } ${page} }`,
    ),
    list(
      'Handoffs',
      { where: { targetAgentId: 'busy' }, count: true },
      `allHandoffs(first: 50, ${newest}, condition: { targetAgentId: "busy" }) { nodes { ${handoffRow} } ${page} totalCount }`,
      'of an agent, with their number',
    ),
    list(
      'Inbox',
      { where: { status: ['INITIATED'], targetAgentId: 'busy' }, first: 50 },
      `allHandoffs(first: 50, ${oldest}, condition: { targetAgentId: "busy", status: INITIATED }) { nodes { ${handoffRow} acceptedAt context summary } totalCount }`,
    ),
    list(
      'ChangedSessions',
      { first: 100 },
      'allSessions(first: 100, orderBy: [LAST_ACTIVITY_AT_DESC, ROW_ID_DESC]) { nodes { rowId lastActivityAt } }',
    ),
    list(
      'Unread',
      { where: { status: ['INITIATED'] }, first: 100 },
      `allHandoffs(first: 100, ${newest}, condition: { status: INITIATED }) { nodes { rowId initiatedAt sessionBySessionId { rowId title } status targetAgentId } pageInfo { hasNextPage } }`,
    ),
    list(
      'BoardColumn',
      { where: { pipeline: 'busy', status: ['RUNNING'] }, direction: 'DESC', first: 25 },
      `allSessions(first: 25, ${created}, condition: { pipelineId: "${pipelineId}", status: RUNNING }) { nodes { agentByAgentId ${chip} createdAt rowId handoffByLastHandoffId { ${badge} }
        stageEntriesBySessionId(first: 1, orderBy: [NUMBER_DESC]) { nodes { enteredAt } } pipelineByPipelineId { rowId slug version } queueEntriesBySessionId { nodes { queuedAt } } stage priority status title } ${page} }`,
    ),
    list(
      'BoardCount',
      { where: { pipeline: 'busy', status: ['RUNNING'] } },
      counted('sessions', `pipelineId: "${pipelineId}", status: RUNNING`),
    ),
    list(
      'BoardPipeline',
      { slug: 'busy' },
      `allPipelines(first: 100, ${pipelines}, condition: { archivedAt: null, replacedAt: null }) { nodes { rowId name slug } }
       versions: allPipelines(condition: { slug: "busy" }, last: 100, ${pipelines}) { nodes { archivedAt description rowId name stages version } }`,
    ),
    list(
      'NewestPipeline',
      { slug: 'busy', sessions: { pipeline: 'busy', status: ['RUNNING'] } },
      `pipelineByRowId(rowId: "${pipelineId}") { archivedAt rowId version } ${counted('sessions', `pipelineId: "${pipelineId}", status: RUNNING`)}`,
    ),
    list(
      'Pipelines',
      { where: {}, count: true },
      `allPipelines(first: 25, ${pipelines}, condition: { archivedAt: null, replacedAt: null }) { nodes { archivedAt createdAt description rowId name slug stages version } ${page} totalCount }`,
    ),
    list(
      'PipelinesToChoose',
      {},
      `allPipelines(first: 100, ${pipelines}, condition: { archivedAt: null, replacedAt: null }) { nodes { rowId name slug } }`,
    ),
    list(
      'Queue',
      { where: {}, count: false },
      `allQueueEntries(first: 25, orderBy: [EFFECTIVE_AT_ASC, ROW_ID_ASC]) { nodes { agentType escalated position queuedAt reason returned role sessionBySessionId { rowId pipelineByPipelineId { rowId name slug } stage priority title } agentBySourceAgentId ${chip} suspended } ${page} }`,
    ),
    list(
      'Waiting',
      { first: 100 },
      'allQueueEntries(first: 100, orderBy: [EFFECTIVE_AT_ASC, ROW_ID_ASC]) { nodes { queuedAt } pageInfo { hasNextPage } }',
    ),
    list(
      'Sessions',
      { where: {}, orderBy: { field: 'CREATED_AT' }, first: 50, count: false },
      `allSessions(first: 50, ${created}) { nodes { agentByAgentId ${chip} createdAt rowId lastActivityAt handoffByLastHandoffId { ${badge} } status title workspaceId priority project } ${page} }`,
    ),
    list(
      'SessionCounts',
      {
        all: {},
        running: { status: ['RUNNING'] },
        paused: { status: ['PAUSED'] },
        completed: { status: ['COMPLETED'] },
        failed: { status: ['FAILED'] },
        cancelled: { status: ['CANCELLED'] },
        unassigned: { status: ['PAUSED'], unassigned: true },
        open: { agentId: 'agent-3', status: ['RUNNING', 'PAUSED'] },
      },
      `${counted('all', '')} ${['RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'].map((status) => counted(status.toLowerCase(), `status: ${status}`)).join(' ')}
       ${counted('unassigned', 'status: PAUSED, agentId: null')} open: heldSessions(agent: "agent-3", first: 0) { totalCount }`,
    ),
    list(
      'Tools',
      { where: {}, count: false },
      `allHandoffTools(first: 25, condition: { archivedAt: null }, orderBy: [NAME_ASC]) { nodes { handoffToolOffersByToolId { nodes { agentByAgentId ${chip} } } archivedAt description rowId name agentByTargetAgentId ${chip} } ${page} }`,
    ),
    list(
      'SessionsToTry',
      { agentId: 'busy' },
      'sessionsToTry(agent: "busy", first: 50) { nodes { rowId status title } }',
    ),
    list(
      'Webhooks',
      {},
      `allWebhooks(first: 100, ${created}, condition: { deletedAt: null }) { nodes { createdAt description disabledAt disabledReason rowId previousSecretUntil types url } }`,
    ),
    list(
      'Deliveries',
      { webhookId: encodeId('webhook', webhookId) },
      `allDeliveries(first: 10, ${created}, condition: { webhookId: "${webhookId}" }) { nodes { attemptedAt attempts createdAt error eventByEventId { rowId sessionBySessionId { rowId title } type } rowId dueAt redeliveryOfId responseStatus status } ${page} }`,
    ),
  ];
}

/** Lists as other clients ask for them. */
export function otherLists({ pipelineId }: Named): List[] {
  const agent = '{ id name }';
  const theirAgent = '{ rowId name }';
  return [
    {
      what: 'sessions(first: 20) of a project, with their holders',
      ours: {
        query: `{ sessions(first: 20, where: { project: "shop" }) { nodes { id title createdAt agent ${agent} } ${page} } }`,
      },
      theirs: `{ allSessions(first: 20, ${created}, condition: { project: "shop" }) { nodes { rowId title createdAt agentByAgentId ${theirAgent} } ${page} } }`,
    },
    {
      what: 'sessions(first: 50), the oldest first',
      ours: {
        query: `{ sessions(first: 50, orderBy: { field: CREATED_AT, direction: ASC }) { nodes { id title status createdAt } ${page} } }`,
      },
      theirs: `{ allSessions(first: 50, orderBy: [CREATED_AT_ASC, ROW_ID_ASC]) { nodes { rowId title status createdAt } ${page} } }`,
    },
    {
      what: 'sessions(first: 100), three columns',
      ours: { query: '{ sessions(first: 100) { nodes { id title status } } }' },
      theirs: `{ allSessions(first: 100, ${created}) { nodes { rowId title status } } }`,
    },
    {
      what: 'sessions(first: 10) > handoffs(first: 3) > source and target',
      ours: {
        query: `{ sessions(first: 10) { nodes { id title handoffs(first: 3) { nodes { id depth reason sourceAgent ${agent} targetAgent ${agent} } } } } }`,
      },
      theirs: `{ allSessions(first: 10, ${created}) { nodes { rowId title handoffsBySessionId(first: 3, orderBy: [DEPTH_DESC]) { nodes { rowId depth reason agentBySourceAgentId ${theirAgent} agentByTargetAgentId ${theirAgent} } } } } }`,
    },
    {
      what: 'sessions(first: 20) > agentSessions(first: 5) > agent',
      ours: {
        query: `{ sessions(first: 20) { nodes { id title agentSessions(first: 5) { nodes { id state startedAt agent ${agent} } } } } }`,
      },
      theirs: `{ allSessions(first: 20, ${created}) { nodes { rowId title agentSessionsBySessionId(first: 5, orderBy: [STARTED_AT_ASC, ROW_ID_ASC]) { nodes { rowId state startedAt agentByAgentId ${theirAgent} } } } } }`,
    },
    {
      what: 'sessions(first: 20) with the number of their handoffs',
      ours: { query: '{ sessions(first: 20) { nodes { id title handoffs(first: 0) { totalCount } } } }' },
      theirs: `{ allSessions(first: 20, ${created}) { nodes { rowId title handoffsBySessionId(first: 0) { totalCount } } } }`,
    },
    {
      what: 'handoffs(first: 50) by status, with session and its holder',
      ours: {
        query: `{ handoffs(first: 50, where: { status: [REJECTED] }) { nodes { id rejectionReason initiatedAt session { id title agent ${agent} } } ${page} } }`,
      },
      theirs: `{ allHandoffs(first: 50, ${newest}, condition: { status: REJECTED }) { nodes { rowId rejectionReason initiatedAt sessionBySessionId { rowId title agentByAgentId ${theirAgent} } } ${page} } }`,
    },
    {
      what: 'handoffs(first: 20) from an agent, with their number',
      ours: {
        query: `{ handoffs(first: 20, where: { sourceAgentId: "agent-3" }) { nodes { id status initiatedAt targetAgent ${agent} } totalCount } }`,
      },
      theirs: `{ allHandoffs(first: 20, ${newest}, condition: { sourceAgentId: "agent-3" }) { nodes { rowId status initiatedAt agentByTargetAgentId ${theirAgent} } totalCount } }`,
    },
    {
      what: 'handoffs(first: 100), six columns',
      ours: { query: `{ handoffs(first: 100) { nodes { id status via depth circular initiatedAt } ${page} } }` },
      theirs: `{ allHandoffs(first: 100, ${newest}) { nodes { rowId status via depth circular initiatedAt } ${page} } }`,
    },
    {
      what: 'agents(first: 20) > sessions(first: 3)',
      ours: {
        query:
          '{ agents(first: 20, orderBy: { field: ID, direction: ASC }) { nodes { id name sessions(first: 3) { nodes { id title status } } } } }',
      },
      theirs: `{ allAgents(first: 20, orderBy: [ROW_ID_ASC]) { nodes { rowId name sessionsByAgentId(first: 3, ${created}) { nodes { rowId title status } } } } }`,
    },
    {
      what: 'agents(first: 20) > handoffsReceived(first: 3)',
      ours: {
        query:
          '{ agents(first: 20, orderBy: { field: ID, direction: ASC }) { nodes { id name handoffsReceived(first: 3) { nodes { id status initiatedAt } } } } }',
      },
      theirs: `{ allAgents(first: 20, orderBy: [ROW_ID_ASC]) { nodes { rowId name handoffsByTargetAgentId(first: 3, ${newest}) { nodes { rowId status initiatedAt } } } } }`,
    },
    {
      what: 'events(first: 50) with their sessions',
      ours: { query: `{ events(first: 50) { nodes { id type at session { id title } agent ${agent} } ${page} } }` },
      theirs: `{ allEvents(first: 50, orderBy: [AT_DESC, ROW_ID_DESC]) { nodes { rowId type at sessionBySessionId { rowId title } agentByAgentId ${theirAgent} } ${page} } }`,
    },
    {
      what: 'sessions(first: 20) in a pipeline, with stage',
      ours: {
        query: `{ sessions(first: 20, where: { pipeline: "busy" }) { nodes { id title pipeline { stage pipeline { id name } } } } }`,
      },
      theirs: `{ allSessions(first: 20, ${created}, condition: { pipelineId: "${pipelineId}" }) { nodes { rowId title stage pipelineByPipelineId { rowId name } } } }`,
    },
  ];
}

/** What the documents above ask for besides sessions, handoffs and agents. */
export async function loadDashboard(pool: Pool): Promise<Named> {
  await pool.query(`
    INSERT INTO pipelines (id, slug, version, name, start, stages, transitions, created_at)
      SELECT gen_random_uuid(), slug, 1, slug, 'write', '[{"name": "write"}, {"name": "review"}]', '[]', now() FROM unnest(ARRAY['busy', 'docs', 'fixes', 'releases']) slug;
    SET session_replication_role = replica;
    UPDATE sessions s SET pipeline_id = p.id, stage = 'review' FROM pipelines p, generate_series(10, 20000, 10) i WHERE p.slug = 'busy' AND s.id = bulk_id(0, i, 0);
    INSERT INTO stage_entries (id, session_id, number, stage, attempt, tried, entered_at, sent_back)
      SELECT gen_random_uuid(), bulk_id(0, i, 0), 1, 'review', 1, '{}', bulk_time(i, 1), false FROM generate_series(10, 20000, 10) i;
    INSERT INTO queue_entries (id, session_id, role, wanted, queued_at, effective_at, suspended, escalated, carried)
      SELECT gen_random_uuid(), id, 'nobody', '/nobody', created_at, created_at, false, false, '{}' FROM sessions WHERE status = 'PAUSED' ORDER BY id LIMIT 60;
    INSERT INTO handoff_tools (id, name, target_agent_id, description, variables, created_at)
      SELECT gen_random_uuid(), 'transfer_' || lpad(n::text, 2, '0'), 'agent-' || n % 5, 'Hands the session over', '[]', now() FROM generate_series(1, 30) n;
    INSERT INTO handoff_tool_offers (tool_id, agent_id) SELECT id, 'agent-3' FROM handoff_tools;
    INSERT INTO events (id, type, at, session_id, session_sequence, session_status, agent_id, holder_id, actor_principal, actor_role)
      SELECT bulk_id(9, i, 0), 'SESSION_CREATED', bulk_time(i, 0), bulk_id(0, i, 0), 1, 'RUNNING', 'busy', 'busy', 'loopback', 'ADMIN' FROM generate_series(1, 5000) i;
    INSERT INTO webhooks (id, url, types, secret_version, key_check, position, created_by, created_at)
      SELECT gen_random_uuid(), 'https://example.com/' || n, '{}', 1, 'x', 9007199254740993, 'admin', now() FROM generate_series(1, 5) n;
    INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, attempts, created_at)
      SELECT gen_random_uuid(), w.id, e.id, 1, 'x', 'DELIVERED', 1, e.at FROM (SELECT id, at FROM events ORDER BY id LIMIT 500) e, (SELECT id FROM webhooks ORDER BY id LIMIT 1) w;
    RESET session_replication_role;
    CREATE FUNCTION held_sessions(agent text) RETURNS SETOF sessions LANGUAGE sql STABLE AS
      $$ SELECT * FROM sessions WHERE agent_id = agent AND status IN ('RUNNING', 'PAUSED') ORDER BY created_at DESC, id DESC $$;
    CREATE FUNCTION sessions_to_try(agent text) RETURNS SETOF sessions LANGUAGE sql STABLE AS
      $$ SELECT * FROM sessions WHERE agent_id = agent AND status IN ('RUNNING', 'PAUSED') ORDER BY updated_at DESC, id DESC $$;
    CREATE FUNCTION queue_entries_position(entry queue_entries) RETURNS int LANGUAGE sql STABLE AS
      $$ SELECT 1 + count(*)::int FROM queue_entries q WHERE q.wanted = entry.wanted AND NOT q.suspended AND NOT q.escalated AND (q.effective_at, q.id) < (entry.effective_at, entry.id) $$;
    ANALYZE`);
  const { rows } = await pool.query<Named>(
    `SELECT (SELECT id FROM webhooks ORDER BY id LIMIT 1) AS "webhookId", (SELECT id FROM pipelines WHERE slug = 'busy') AS "pipelineId"`,
  );
  return rows[0]!;
}
