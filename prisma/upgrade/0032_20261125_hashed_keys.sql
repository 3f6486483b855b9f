-- A caller may have chosen a secret as idempotency key.
UPDATE "idempotency_answers" SET "key" = 'sha256:' || encode(sha256(convert_to("key", 'UTF8')), 'hex');

-- A server of the version before, which still runs, stores keys as they are: its answers are found by this version, and it repeats none of
-- this version's effects, because its row is refused as a duplicate.
CREATE FUNCTION hash_idempotency_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.key !~ '^sha256:[0-9a-f]{64}$' THEN
    NEW.key := 'sha256:' || encode(sha256(convert_to(NEW.key, 'UTF8')), 'hex');
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER idempotency_keys_are_hashed BEFORE INSERT ON "idempotency_answers" FOR EACH ROW EXECUTE FUNCTION hash_idempotency_key();
