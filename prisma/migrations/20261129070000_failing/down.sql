DROP INDEX "deliveries_failing";
