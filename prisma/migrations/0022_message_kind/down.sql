-- Lost is the kind of each message.
ALTER TABLE "messages" DROP COLUMN "kind";
DROP TYPE "message_kind";
