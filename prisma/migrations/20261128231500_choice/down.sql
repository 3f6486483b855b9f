-- Lost is why Sessions were given to their first agents.
ALTER TABLE "sessions" DROP COLUMN "choice";
