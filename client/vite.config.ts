import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const server = process.env['BATON_URL'] ?? 'http://127.0.0.1:4000';
const toServer = { target: server, changeOrigin: true };

/** `npm run dev` serves the sources and passes everything that is the server's on to a running one (BATON_URL). */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2022',
    // The Content-Security-Policy lets in neither inlined scripts nor fonts and images as data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What is loaded first is held small by a test, as it is sent: compressed.
    chunkSizeWarningLimit: 1_000,
  },
  server: {
    proxy: {
      '/graphql': { ...toServer, ws: true, headers: { origin: server } },
      '^/(sessions|handoffs)/[^/]+\\.(md|json)$': toServer,
    },
  },
});
