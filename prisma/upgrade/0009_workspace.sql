-- Where the work stood in a Turn: {folder, branch, commit}.
ALTER TABLE "turns" ADD COLUMN "workspace" JSONB;
