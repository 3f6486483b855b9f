DROP INDEX "search_entries_id_idx";
