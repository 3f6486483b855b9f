ALTER TABLE "deliveries" DROP COLUMN "failures";
