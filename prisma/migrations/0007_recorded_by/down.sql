-- Lost is who recorded each message.
ALTER TABLE "messages" DROP COLUMN "recorded_by", DROP COLUMN "recorded_role";
