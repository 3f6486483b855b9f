-- Webhooks that fail: asked with each view of what needs a person.
CREATE INDEX "deliveries_failing" ON "deliveries" ("webhook_id", "failing_since") WHERE "status" = 'PENDING' AND "failing_since" IS NOT NULL;
