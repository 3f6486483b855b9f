-- Lost is where the work stood in each Turn.
ALTER TABLE "turns" DROP COLUMN "workspace";
