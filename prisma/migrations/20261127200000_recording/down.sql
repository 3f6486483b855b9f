-- Lost is the capacity of agents whose load exceeds it: it becomes their load.
UPDATE "agents" SET "max_capacity" = "current_load" WHERE "current_load" > "max_capacity";
ALTER TABLE "agents" DROP CONSTRAINT "agents_load_not_negative",
  ADD CONSTRAINT "agents_load_within_capacity" CHECK (0 <= "current_load" AND "current_load" <= "max_capacity" AND "max_capacity" >= 1);
