import { defineConfig } from 'prisma/config';

// `prisma generate` insists on an engine that it never runs; with this it downloads none.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost/baton' },
});
