-- Lost are the order over all streams and every cursor that was given out; the events and their numbers stay.
DROP TRIGGER "events_await_position" ON "events";
DROP FUNCTION events_await_position();
DROP TABLE "event_positions";
DROP TABLE "unpositioned_events";
DROP TABLE "database_identity";
