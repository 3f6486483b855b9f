-- Lost are the answers to idempotency keys: their keys are not known.
DROP TRIGGER idempotency_keys_are_hashed ON "idempotency_answers";
DROP FUNCTION hash_idempotency_key();
DELETE FROM "idempotency_answers";
