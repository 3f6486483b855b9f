-- One order over all streams. An event waits in unpositioned_events from its own transaction on; after the commit one
-- stamper at a time gives it the next position. Its serial is taken under the row locks of its Session and inboxes, so
-- serials grow along each of those streams, and so do positions, which are given in the order of serials.
CREATE TABLE "event_positions" (
    "position" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,

    CONSTRAINT "event_positions_pkey" PRIMARY KEY ("position")
);

CREATE TABLE "unpositioned_events" (
    "serial" BIGSERIAL NOT NULL,
    "event_id" UUID NOT NULL,

    CONSTRAINT "unpositioned_events_pkey" PRIMARY KEY ("serial")
);

CREATE UNIQUE INDEX "event_positions_event_id_key" ON "event_positions"("event_id");

ALTER TABLE "event_positions" ADD CONSTRAINT "event_positions_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE FUNCTION events_await_position() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO unpositioned_events (event_id) SELECT id FROM fresh;
  RETURN NULL;
END $body$;
CREATE TRIGGER events_await_position AFTER INSERT ON events REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION events_await_position();

-- It stays as small as what waits only if it is vacuumed by what was taken out of it.
ALTER TABLE "unpositioned_events" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Ids are UUIDs of version 7, made under the same locks.
INSERT INTO event_positions (position, event_id) SELECT row_number() OVER (ORDER BY id), id FROM events;

-- What cursors are signed with. Of this database alone: a cursor of another one is not good here.
CREATE TABLE "database_identity" (
    "only" BOOLEAN NOT NULL DEFAULT true,
    "id" UUID NOT NULL,
    "cursor_key" BYTEA NOT NULL,

    CONSTRAINT "database_identity_pkey" PRIMARY KEY ("only")
);
ALTER TABLE "database_identity" ADD CONSTRAINT "database_identity_is_one" CHECK ("only");
INSERT INTO database_identity (id, cursor_key)
  VALUES (gen_random_uuid(), sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));
