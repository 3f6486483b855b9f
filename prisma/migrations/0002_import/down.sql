-- Transcripts that were imported stay; imported once more, their lines would be taken for new ones.
DROP TABLE "import_usages", "import_lines";
