DROP INDEX "events_in_log";
