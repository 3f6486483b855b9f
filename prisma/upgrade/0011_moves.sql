ALTER TYPE "event_type" ADD VALUE 'SESSION_CHANGED';

-- What the caller of a move without a Handoff said about it; a Handoff has its own.
ALTER TABLE "events"
  ADD COLUMN "summary" TEXT,
  ADD COLUMN "metadata" JSONB;

-- The Event that began a tenure.
ALTER TABLE "agent_sessions" ADD COLUMN "start_event_id" UUID;

-- Both have the clock of their transaction, which makes one custody move.
UPDATE agent_sessions t SET start_event_id = e.id
FROM (SELECT id, session_id, holder_id, at, row_number() OVER (PARTITION BY session_id, holder_id, at ORDER BY session_sequence) AS n
      FROM events WHERE type IN ('SESSION_CREATED', 'SESSION_REASSIGNED', 'SESSION_RETURNED')) e
JOIN (SELECT id, session_id, agent_id, started_at, row_number() OVER (PARTITION BY session_id, agent_id, started_at ORDER BY id) AS n FROM agent_sessions) k
  ON k.session_id = e.session_id AND k.agent_id = e.holder_id AND k.started_at = e.at AND k.n = e.n
WHERE t.id = k.id;

CREATE UNIQUE INDEX "agent_sessions_start_event_id_key" ON "agent_sessions"("start_event_id");
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_start_event_id_fkey" FOREIGN KEY ("start_event_id") REFERENCES "events"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
