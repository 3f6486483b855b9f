import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { documentsInPlace } from './documentsInPlace.ts';

const server = process.env['BATON_URL'] ?? 'http://127.0.0.1:4000';
const toServer = { target: server, changeOrigin: true };

/** `npm run dev` serves the sources and proxies the server's paths to a running server (BATON_URL). */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [documentsInPlace(), react()],
  // The server may serve the build under any path.
  base: './',
  build: {
    target: 'es2022',
    // The Content-Security-Policy forbids inline scripts, and data URLs for fonts and images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // One file for the first load, and few for each page: 60 small ones took longer to ask for than to read.
    // Larger shared ones gave the palette, which is loaded when the page is idle, 25 KB that it has no use for.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 10_000, priority: 1 },
          ],
        },
      },
    },
    license: { fileName: 'licenses.md' },
    // A test limits the compressed size of the first load.
    chunkSizeWarningLimit: 1_000,
  },
  server: {
    proxy: {
      '/graphql': { ...toServer, ws: true, headers: { origin: server } },
      '^/(sessions|handoffs)/[^/]+\\.(md|json)$': toServer,
    },
  },
});
