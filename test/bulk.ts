import pg from 'pg';

export interface Bulk {
  sessions: number;
  /** Handoffs per Session. */
  handoffs?: number;
  /** Turns per Session, each with a question, an answer and a tool call. */
  turns?: number;
  agents?: number;
}

/**
 * Loads many consistent rows at once, except for tenures of declined Handoffs and the agents' loads. Skewed like a real
 * pool: the agent `busy` holds 30 %, and 90 % of the Sessions are finished. Equal arguments give equal rows; two consecutive
 * Sessions share a millisecond.
 */
export async function loadBulk(url: string, { sessions, handoffs = 1, turns = 0, agents = 20 }: Bulk): Promise<void> {
  // Not from the pool: its statements have the request timeout.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Skips triggers and foreign keys, because the rows are valid by construction.
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica; ${functions}`);
    const restore = sessions > 10_000 ? await dropIndexes(client) : [];
    for (const text of statements(sessions, handoffs, turns, agents)) await client.query(text);
    for (const text of restore) await client.query(text);
    await client.query('SELECT recount_handoff_paths()');
    await client.query('COMMIT; ANALYZE');
  } finally {
    await client.end();
  }
}

/** The UUID of a row, ordered by time like Baton's. */
export async function bulkId(pool: pg.Pool, kind: BulkKind, session: number, number = 0): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('SELECT bulk_id($1, $2, $3) AS id', [
    kinds.indexOf(kind),
    session,
    number,
  ]);
  return rows[0]!.id;
}

/** Rebuilding indexes is much faster than updating them. Returns the statements that restore them. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
  );
  if (rows.length > 0)
    await client.query(
      `DROP INDEX ${rows.map(({ name }) => name).join(', ')}; SET LOCAL maintenance_work_mem = '256MB'`,
    );
  return rows.map(({ definition }) => definition);
}

// Single expressions of immutable parts, which PostgreSQL inlines: a call per value would take minutes.
const functions = `
CREATE OR REPLACE FUNCTION bulk_time(session int, step int) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS
  $$ SELECT to_timestamp(1767225600 + (session / 2) * 10 + step * 0.02::float8) $$;
CREATE OR REPLACE FUNCTION bulk_id(kind int, session int, number int) RETURNS uuid LANGUAGE sql IMMUTABLE AS
  $$ SELECT (lpad(to_hex(1767225600000 + (session / 2)::bigint * 10000 + number * 20), 12, '0') || '700' || kind::text || '8' || lpad(to_hex(session::bigint * 4096 + number), 15, '0'))::uuid $$;
CREATE OR REPLACE FUNCTION bulk_random(kind int, session int, number int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
  $$ SELECT (hashint8(session::bigint * 1000000 + number * 1000 + kind) + 2147483648) / 4294967296.0::float8 $$;
CREATE OR REPLACE FUNCTION bulk_agent(session int, number int, agents int) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE WHEN number % 2 = session % 2 AND bulk_random(10, session, 0) < 0.6 THEN 'busy'
     ELSE 'agent-' || (number % 2 + 2 * floor(bulk_random(11, session, number) * agents / 2)::int)::text END $$;
CREATE OR REPLACE FUNCTION bulk_status(r float8) RETURNS session_status LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE WHEN r < 0.09 THEN 'RUNNING'::session_status WHEN r < 0.1 THEN 'PAUSED' WHEN r < 0.9 THEN 'COMPLETED' WHEN r < 0.97 THEN 'FAILED' ELSE 'CANCELLED' END $$;
CREATE OR REPLACE FUNCTION bulk_handoff_status(open boolean, r float8) RETURNS handoff_status LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE WHEN open THEN CASE WHEN r < 0.5 THEN 'INITIATED'::handoff_status ELSE 'ACCEPTED' END
     WHEN r < 0.8 THEN 'COMPLETED' WHEN r < 0.87 THEN 'REJECTED' WHEN r < 0.93 THEN 'CANCELLED' WHEN r < 0.98 THEN 'TIMED_OUT' ELSE 'FAILED' END $$;`;

const status = 'bulk_status(bulk_random(12, i, 0))';
const kinds = [
  'session',
  'tenure',
  'handoff',
  'snapshot',
  'turn',
  'message',
  'toolcall',
  'decision',
  'task',
  'event',
] as const;
export type BulkKind = (typeof kinds)[number];

const statements = (sessions: number, handoffs: number, turns: number, agents: number): string[] => [
  `INSERT INTO agents (id, type, name, role, administrative_status, current_load, max_capacity, total_assigned, inbox_sequence, registered_at)
   SELECT id, CASE WHEN number % 5 = 4 THEN 'CODEX' ELSE 'CLAUDE' END, id, 'implementer', 'AVAILABLE', 0, 100000, 0, 0, bulk_time(number, 0)
   FROM (SELECT 'busy' AS id, 0 AS number UNION ALL SELECT 'agent-' || i, i + 1 FROM generate_series(0, ${agents - 1}) i) a`,
  `INSERT INTO sessions (id, title, status, version, agent_id, previous_agent_type, context_variables, handoffs_enabled, max_handoffs, operator_epoch, message_count,
     turn_count, tool_call_count, handoff_count, event_count, visible_from, visible_calls_from, last_agent_session_id, last_handoff_id, created_at, updated_at, last_activity_at, ended_agent_type, external_id, project, priority)
   SELECT bulk_id(0, i, 0), 'Work ' || i || ' on ' || (ARRAY['billing', 'search', 'import', 'login'])[i % 4 + 1], ${status}, 1,
     CASE WHEN ${status} <> 'PAUSED' THEN bulk_agent(i, ${handoffs}, ${agents}) END, 'CLAUDE',
     '{"ticket": {"value": 7, "setBy": "loopback"}}', true, 5, 0, ${turns * 2}, ${turns}, ${turns}, ${handoffs}, ${handoffs + 1}, 1, 1,
     bulk_id(1, i, ${handoffs}), ${handoffs === 0 ? 'NULL' : `bulk_id(2, i, ${handoffs})`}, bulk_time(i, 0), bulk_time(i, (i * 7919) % 300), bulk_time(i, (i * 7919) % 300),
     CASE WHEN ${status} NOT IN ('RUNNING', 'PAUSED') THEN (SELECT type FROM agents WHERE id = bulk_agent(i, ${handoffs}, ${agents})) END,
     CASE WHEN i % 4 = 0 THEN 'TICKET-' || i END, CASE WHEN i % 2 = 0 THEN 'shop' WHEN i % 999 = 0 THEN 'rare' END, (CASE WHEN i % 500 = 0 THEN 'URGENT' ELSE 'NORMAL' END)::session_priority
   FROM generate_series(1, ${sessions}) i`,
  `INSERT INTO agent_sessions (id, session_id, agent_id, state, start_sequence, end_sequence, terminated_by_handoff_id, started_at, activated_at, ended_at)
   SELECT bulk_id(1, i, n), bulk_id(0, i, 0), bulk_agent(i, n, ${agents}), state, 1, CASE WHEN closed THEN ${turns * 2} END,
     CASE WHEN n < ${handoffs} THEN bulk_id(2, i, n + 1) END, bulk_time(i, n), CASE WHEN state <> 'PENDING' THEN bulk_time(i, n) END, CASE WHEN closed THEN bulk_time(i, n + 1) END
   FROM generate_series(1, ${sessions}) i, generate_series(0, ${handoffs}) n, LATERAL (
     SELECT (CASE WHEN n < ${handoffs} THEN 'HANDED_OFF' WHEN ${status} = 'RUNNING' THEN 'ACTIVE' ELSE 'COMPLETED' END)::agent_session_state AS state) s,
     LATERAL (SELECT state IN ('HANDED_OFF', 'COMPLETED') AS closed) c`,
  `INSERT INTO turns (id, session_id, agent_session_id, index, input_tokens, output_tokens, model, truncated, started_at)
   SELECT bulk_id(4, i, n), bulk_id(0, i, 0), bulk_id(1, i, 0), n, 1000, 10, 'opus', false, bulk_time(i, n)
   FROM generate_series(1, ${sessions}) i, generate_series(1, ${turns}) n`,
  `INSERT INTO messages (id, session_id, sequence, role, content, turn_id, agent_session_id, created_at)
   SELECT bulk_id(5, i, n), bulk_id(0, i, 0), n, (CASE WHEN n % 2 = 1 THEN 'USER' ELSE 'ASSISTANT' END)::message_role, 'Message ' || n,
     bulk_id(4, i, (n + 1) / 2), bulk_id(1, i, 0), bulk_time(i, n)
   FROM generate_series(1, ${sessions}) i, generate_series(1, ${turns * 2}) n`,
  `INSERT INTO tool_calls (id, session_id, turn_id, message_id, index, sequence, call_id, name, arguments, result, files_modified)
   SELECT bulk_id(6, i, n), bulk_id(0, i, 0), bulk_id(4, i, n), bulk_id(5, i, 2 * n), n, 2 * n, 'call-' || n, 'edit',
     '{"path": "a.ts"}', 'done', ARRAY['a.ts']
   FROM generate_series(1, ${sessions}) i, generate_series(1, ${turns}) n`,
  `INSERT INTO decisions (id, session_id, text, recorded_at)
   SELECT bulk_id(7, i, n), bulk_id(0, i, 0), 'Decision ' || n, bulk_time(i, n) FROM generate_series(1, ${sessions}) i, generate_series(1, ${Math.min(turns, 2)}) n`,
  `INSERT INTO tasks (id, session_id, position, content, status)
   SELECT bulk_id(8, i, n), bulk_id(0, i, 0), n, 'Task ' || n, 'PENDING' FROM generate_series(1, ${sessions}) i, generate_series(1, ${Math.min(turns, 2)}) n`,
  `INSERT INTO context_snapshots (id, session_id, agent_session_id, type, sequence_start, sequence_end, user_count, assistant_count, system_count, tool_count, handoff_count,
     call_start, call_end, token_estimate, captured_at)
   SELECT bulk_id(3, i, n), bulk_id(0, i, 0), bulk_id(1, i, n - 1), 'HANDOFF_INITIATED', 1, ${turns * 2}, ${turns}, ${turns}, 0, 0, 0, 1, ${turns}, 50, bulk_time(i, n)
   FROM generate_series(1, ${sessions}) i, generate_series(1, ${handoffs}) n`,
  // What waits is not due: a server that runs beside would try to time it out every five seconds.
  `INSERT INTO handoffs (id, session_id, status, via, summary, context, depth, circular,
     operator_epoch, token_estimate, redaction_count, content_hash, source_agent_id, source_agent_type, target_agent_id, target_agent_type, source_agent_session_id,
     target_agent_session_id, prior_turn_id, snapshot_id, previous_handoff_id, actor_principal, actor_role, initiated_at, accepted_at, completed_at, closed_at, deadline_at,
     rejection_reason, failure_reason, sent_back, waited_ms, lasted_ms)
   SELECT bulk_id(2, i, n), bulk_id(0, i, 0), status, (CASE WHEN r < 0.7 THEN 'OPERATOR' WHEN r < 0.9 THEN 'API' WHEN r < 0.99 THEN 'TOOL' ELSE 'PIPELINE' END)::handoff_via,
     'Summary', '{"toolSummaries": [{"toolName": "edit", "callCount": 1, "errorCount": 0, "lastResult": "done"}], "filesModified": ["a.ts"], "pendingTasks": ["Task 1"],
       "decisions": ["Decision 1"], "recentMessages": [{"role": "ASSISTANT", "content": "Message"}], "contextVariables": [{"name": "ticket", "value": 7, "setBy": "loopback"}]}', n, bulk_random(15, i, n) < 0.01, 0, 50, 0, md5('x'),
     bulk_agent(i, n - 1, ${agents}), 'CLAUDE', bulk_agent(i, n, ${agents}), 'CLAUDE', bulk_id(1, i, n - 1), bulk_id(1, i, n),
     ${turns === 0 ? 'NULL' : `bulk_id(4, i, ${turns})`}, bulk_id(3, i, n), CASE WHEN n > 1 THEN bulk_id(2, i, n - 1) END, 'loopback', 'ADMIN',
     bulk_time(i, n), CASE WHEN status IN ('ACCEPTED', 'COMPLETED') THEN bulk_time(i, n + 1) END, CASE WHEN status = 'COMPLETED' THEN bulk_time(i, n + 2) END,
     CASE WHEN status NOT IN ('INITIATED', 'ACCEPTED') THEN bulk_time(i, n + 2) END, bulk_time(i, n) + CASE WHEN status = 'INITIATED' THEN interval '100 years' ELSE '30 minutes' END,
     CASE WHEN status = 'REJECTED' THEN 'no' END, CASE WHEN status = 'FAILED' THEN 'broken' END, bulk_random(15, i, n) < 0.01,
     CASE WHEN status <> 'INITIATED' THEN CASE WHEN i % 5000 = 0 THEN 3600000 WHEN status IN ('ACCEPTED', 'COMPLETED') THEN 20 ELSE 40 END END,
     CASE WHEN status NOT IN ('INITIATED', 'ACCEPTED') THEN CASE WHEN i % 5000 = 0 THEN 7200000 ELSE 40 END END
   FROM generate_series(1, ${sessions}) i, generate_series(1, ${handoffs}) n, LATERAL (
     SELECT bulk_handoff_status(n = ${handoffs} AND bulk_random(12, i, 0) < 0.1, bulk_random(13, i, n)) AS status, bulk_random(14, i, n) AS r OFFSET 0) s`,
  `INSERT INTO handoff_tool_calls (handoff_id, tool_call_id, position)
   SELECT bulk_id(2, i, n), bulk_id(6, i, t), t FROM generate_series(1, ${sessions}) i, generate_series(1, ${handoffs}) n, generate_series(1, ${Math.min(turns, 2)}) t`,
  // Events only matter in tests with turns.
  `INSERT INTO events (id, type, at, session_id, session_sequence, session_status, handoff_id, agent_id, holder_id, actor_principal, actor_role)
   SELECT bulk_id(9, i, n), CASE WHEN n = 0 THEN 'SESSION_CREATED' ELSE 'HANDOFF_INITIATED' END, bulk_time(i, n), bulk_id(0, i, 0), n + 1, ${status},
     CASE WHEN n > 0 THEN bulk_id(2, i, n) END, bulk_agent(i, n, ${agents}), bulk_agent(i, n, ${agents}), 'loopback', 'ADMIN'
   FROM generate_series(1, ${turns === 0 ? 0 : sessions}) i, generate_series(0, ${handoffs}) n`,
];
