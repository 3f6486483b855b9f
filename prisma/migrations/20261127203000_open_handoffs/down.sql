DROP INDEX "handoffs_open";
