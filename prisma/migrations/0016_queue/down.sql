-- Lost are external ids, projects, priorities and times of last activity.
ALTER TABLE "sessions" DROP COLUMN "external_id", DROP COLUMN "last_activity_at", DROP COLUMN "priority", DROP COLUMN "project";
DROP TYPE "session_priority";
