-- Lost is where the work of Sessions is done.
ALTER TABLE "sessions" DROP COLUMN "workspace", DROP COLUMN "workspace_id", DROP COLUMN "repository";
