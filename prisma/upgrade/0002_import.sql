-- What an import needs to know its lines and figures again: the same file twice changes nothing.
-- CreateTable
CREATE TABLE "import_lines" (
    "session_id" UUID NOT NULL,
    "line_key" TEXT NOT NULL,
    "turn_id" UUID,

    CONSTRAINT "import_lines_pkey" PRIMARY KEY ("session_id","line_key")
);

-- CreateTable
CREATE TABLE "import_usages" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "turn_id" UUID NOT NULL,
    "input_tokens" INTEGER NOT NULL,
    "output_tokens" INTEGER NOT NULL,
    "cache_creation_input_tokens" INTEGER NOT NULL,
    "cache_read_input_tokens" INTEGER NOT NULL,

    CONSTRAINT "import_usages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "import_lines_turn_id_idx" ON "import_lines"("turn_id");

-- CreateIndex
CREATE INDEX "import_usages_turn_id_idx" ON "import_usages"("turn_id");

-- CreateIndex
CREATE UNIQUE INDEX "import_usages_session_id_key_key" ON "import_usages"("session_id", "key");

-- AddForeignKey
ALTER TABLE "import_lines" ADD CONSTRAINT "import_lines_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_lines" ADD CONSTRAINT "import_lines_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_usages" ADD CONSTRAINT "import_usages_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_usages" ADD CONSTRAINT "import_usages_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Figures that only ever grow from 0; a negative one would be a fault of the import.
ALTER TABLE "import_usages"
  ADD CONSTRAINT "import_usages_are_counts" CHECK (least("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens") >= 0);
