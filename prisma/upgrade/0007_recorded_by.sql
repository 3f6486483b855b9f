-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "recorded_by" TEXT,
ADD COLUMN     "recorded_role" "role";
