-- Lost are the working trees that were recorded before handoffs.
ALTER TABLE "sessions" DROP COLUMN "working_tree";
