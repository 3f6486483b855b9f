ALTER TABLE "handoffs" ADD COLUMN "return_told_at" TIMESTAMPTZ(3);
