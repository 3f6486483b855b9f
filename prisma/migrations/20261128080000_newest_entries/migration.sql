-- Which parts of the table hold the newest entries: read together with an index of words, where the primary key is not, which names the kind too.
CREATE INDEX "search_entries_id_idx" ON "search_entries" USING brin ("id");
