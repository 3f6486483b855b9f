-- Lost is which agents were told what a person decided: they are told again.
DROP INDEX "approvals_untold";
ALTER TABLE "approvals" DROP COLUMN "told_at";
