-- Work that is recorded needs no place: the load may exceed the capacity. Commands that assign check it under the lock of the agent.
ALTER TABLE "agents" DROP CONSTRAINT "agents_load_within_capacity",
  ADD CONSTRAINT "agents_load_not_negative" CHECK (0 <= "current_load" AND "max_capacity" >= 1);
