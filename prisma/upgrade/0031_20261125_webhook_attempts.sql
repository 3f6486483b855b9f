-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0;

-- The waits of deliveries that fail now go on where they were.
UPDATE "deliveries" SET "failures" = "attempts" WHERE "status" = 'PENDING' AND "failing_since" IS NOT NULL;
