-- Where the work of a Session is done: {host, folder, repository, branch, commit}. Its id is that of host and folder.
ALTER TABLE "sessions" ADD COLUMN "workspace" JSONB, ADD COLUMN "workspace_id" TEXT, ADD COLUMN "repository" TEXT;
CREATE INDEX "sessions_workspace_id_created_at_id_idx" ON "sessions" ("workspace_id", "created_at", "id") WHERE "workspace_id" IS NOT NULL;
CREATE INDEX "sessions_repository_created_at_id_idx" ON "sessions" ("repository", "created_at", "id") WHERE "repository" IS NOT NULL;
