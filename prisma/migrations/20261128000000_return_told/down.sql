-- Lost is which sources were told that their handoffs came back: they are told again.
ALTER TABLE "handoffs" DROP COLUMN "return_told_at";
