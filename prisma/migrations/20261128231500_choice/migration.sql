ALTER TABLE "sessions" ADD COLUMN "choice" JSONB;
