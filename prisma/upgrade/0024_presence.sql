-- A table of its own: rows of agents are locked by every change of hands.
CREATE TABLE "agent_presence" (
    "agent_id" TEXT NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_presence_pkey" PRIMARY KEY ("agent_id")
);

-- One row for each server process with streams of agents. A killed process no longer moves alive_until, which ends its connections.
CREATE TABLE "server_processes" (
    "id" UUID NOT NULL,
    "alive_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "server_processes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_connections" (
    "agent_id" TEXT NOT NULL,
    "process_id" UUID NOT NULL,

    CONSTRAINT "agent_connections_pkey" PRIMARY KEY ("agent_id","process_id")
);

-- CreateIndex
CREATE INDEX "agent_connections_process_id_idx" ON "agent_connections"("process_id");

-- AddForeignKey
ALTER TABLE "agent_presence" ADD CONSTRAINT "agent_presence_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_connections" ADD CONSTRAINT "agent_connections_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_connections" ADD CONSTRAINT "agent_connections_process_id_fkey" FOREIGN KEY ("process_id") REFERENCES "server_processes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
