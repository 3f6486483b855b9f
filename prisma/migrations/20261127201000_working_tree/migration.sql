ALTER TABLE "sessions" ADD COLUMN "working_tree" JSONB;
