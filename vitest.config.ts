import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Packages load graphql's CommonJS build; a second copy of it here would refuse their schemas.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['server/**/*.test.ts', 'client/**/*.test.ts', 'prisma/**/*.test.ts'],
    globalSetup: ['server/testing/globalSetup.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', './server/testing/closingLine.ts'],
  },
});
