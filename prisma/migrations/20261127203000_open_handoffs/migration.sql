-- The Handoffs that wait in an inbox: an agent's own index reads past all of its finished ones.
CREATE INDEX "handoffs_open" ON "handoffs" ("initiated_at", "id") WHERE "status" IN ('INITIATED', 'ACCEPTED');
