-- Lost is the traceparent that came with each mutation.
ALTER TABLE "events" DROP COLUMN "traceparent";
