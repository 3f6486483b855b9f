import pg from 'pg';

interface Size {
  agents: number;
  sessions: number;
  turns: number;
}

/**
 * Running sessions with a realistic log. Each turn has a question, an answer of a few hundred characters and a tool call;
 * every tenth call failed, every third wrote a file. They have tasks, decisions and variables. Agent n holds session n.
 */
export async function loadWork(url: string, { agents, sessions, turns }: Size): Promise<void> {
  // Not from the pool: its statements have the request timeout.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // The rows are valid by construction; row triggers and foreign keys would take minutes.
    await client.query('BEGIN; SET LOCAL session_replication_role = replica');
    for (const text of statements(agents, sessions, turns)) await client.query(text);
    for (const text of ['COMMIT', 'VACUUM ANALYZE', 'CHECKPOINT']) await client.query(text);
  } finally {
    await client.end();
  }
}

/** The UUID of a row, ordered by time like Baton's. */
export const idOf = (kind: number, session: string, number: string): string =>
  `(lpad(to_hex(1767225600000 + (${session})::bigint), 12, '0') || '7${kind.toString(16).padStart(3, '0')}8' || lpad(to_hex((${session})::bigint * 4096 + ${number}), 15, '0'))::uuid`;
const [session, tenure, turn, message, call, decision, task, event] = [0, 1, 2, 3, 4, 5, 6, 7];
export const sessionIdOf = (number: string): string => idOf(session, number, '0');

const at = "timestamptz '2026-01-01'";
const words = (seed: string, times: number): string =>
  `repeat(left(md5(${seed}), 5) || ' and then it said ', ${times})`;

const statements = (agents: number, sessions: number, turns: number): string[] => [
  `INSERT INTO agents (id, type, name, role, instructions, administrative_status, current_load, max_capacity, total_assigned, inbox_sequence, registered_at)
   SELECT 'agent-' || i, CASE i % 2 WHEN 0 THEN 'CLAUDE' ELSE 'CODEX' END, 'Agent ' || i, 'implementer', 'Run the tests before you say that it works.', 'AVAILABLE',
     (SELECT count(*) FROM generate_series(0, ${sessions - 1}) s WHERE s % ${agents} = i), 1000, 1, 1, ${at} FROM generate_series(0, ${agents - 1}) i`,
  `INSERT INTO sessions (id, title, status, version, agent_id, context_variables, handoffs_enabled, max_handoffs, operator_epoch, message_count, turn_count, tool_call_count,
     handoff_count, event_count, visible_from, visible_calls_from, last_agent_session_id, created_at, updated_at, last_activity_at)
   SELECT ${idOf(session, 'i', '0')}, 'Work ' || i || ' on the billing of customers', 'RUNNING', 1, 'agent-' || i % ${agents},
     '{"branch": {"value": "main", "setBy": "operator"}, "ticket": {"value": 4711, "setBy": "operator"}}', true, 5, 0, ${turns * 2}, ${turns}, ${turns}, 0, 1, 1, 1,
     ${idOf(tenure, 'i', '0')}, ${at}, ${at}, ${at} FROM generate_series(0, ${sessions - 1}) i`,
  `INSERT INTO agent_sessions (id, session_id, agent_id, state, start_sequence, started_at, activated_at)
   SELECT last_agent_session_id, id, agent_id, 'ACTIVE', 1, ${at}, ${at} FROM sessions`,
  `INSERT INTO turns (id, session_id, agent_session_id, index, input_tokens, output_tokens, model, truncated, started_at)
   SELECT ${idOf(turn, 'i', 'n')}, ${idOf(session, 'i', '0')}, ${idOf(tenure, 'i', '0')}, n, 1000, 100, 'opus', false, ${at}
   FROM generate_series(0, ${sessions - 1}) i, generate_series(1, ${turns}) n`,
  `INSERT INTO messages (id, session_id, sequence, role, content, turn_id, agent_session_id, created_at)
   SELECT ${idOf(message, 'i', 'n')}, ${idOf(session, 'i', '0')}, n, (CASE n % 2 WHEN 1 THEN 'USER' ELSE 'ASSISTANT' END)::message_role,
     CASE n % 2 WHEN 1 THEN ${words('i || n::text', 8)} ELSE ${words('i || n::text', 24)} END, ${idOf(turn, 'i', '(n + 1) / 2')},
     CASE n % 2 WHEN 0 THEN ${idOf(tenure, 'i', '0')} END, ${at}
   FROM generate_series(0, ${sessions - 1}) i, generate_series(1, ${turns * 2}) n`,
  `INSERT INTO tool_calls (id, session_id, turn_id, message_id, index, sequence, call_id, name, arguments, result, error, files_modified)
   SELECT ${idOf(call, 'i', 'n')}, ${idOf(session, 'i', '0')}, ${idOf(turn, 'i', 'n')}, ${idOf(message, 'i', '2 * n')}, n, 2 * n, 'call-' || n,
     (ARRAY['Bash', 'Read', 'Edit', 'Grep', 'Write', 'WebFetch'])[n % 6 + 1], jsonb_build_object('file_path', 'src/billing/part-' || n % 40 || '.ts', 'old', ${words('n::text', 4)}),
     CASE WHEN n % 10 <> 0 THEN ${words('n::text || i', 20)} END, CASE WHEN n % 10 = 0 THEN 'exit code 1: ' || ${words('i::text', 6)} END,
     CASE WHEN n % 3 = 0 THEN ARRAY['src/billing/part-' || n % 40 || '.ts'] ELSE ARRAY[]::text[] END
   FROM generate_series(0, ${sessions - 1}) i, generate_series(1, ${turns}) n`,
  `INSERT INTO decisions (id, session_id, agent_session_id, text, recorded_at)
   SELECT ${idOf(decision, 'i', 'n')}, ${idOf(session, 'i', '0')}, ${idOf(tenure, 'i', '0')}, 'Decision ' || n || ': ' || ${words('n::text', 4)}, ${at} + n * interval '1 minute'
   FROM generate_series(0, ${sessions - 1}) i, generate_series(1, 5) n`,
  `INSERT INTO tasks (id, session_id, position, content, status)
   SELECT ${idOf(task, 'i', 'n')}, ${idOf(session, 'i', '0')}, n, 'Task ' || n || ': ' || ${words('n::text', 3)}, (CASE WHEN n < 4 THEN 'DONE' ELSE 'PENDING' END)::task_status
   FROM generate_series(0, ${sessions - 1}) i, generate_series(1, 8) n`,
  `INSERT INTO events (id, type, at, session_id, session_sequence, session_status, agent_id, holder_id, actor_principal, actor_role)
   SELECT ${idOf(event, 'i', '0')}, 'SESSION_CREATED', ${at}, ${idOf(session, 'i', '0')}, 1, 'RUNNING', 'agent-' || i % ${agents}, 'agent-' || i % ${agents}, 'operator', 'OPERATOR'
   FROM generate_series(0, ${sessions - 1}) i`,
  `INSERT INTO inbox_entries (agent_id, sequence, event_id)
   SELECT 'agent-' || i % ${agents}, 1, ${idOf(event, 'i', '0')} FROM generate_series(0, ${Math.min(agents, sessions) - 1}) i`,
  `UPDATE agents SET inbox_sequence = (SELECT count(*) FROM inbox_entries WHERE agent_id = agents.id)`,
];
