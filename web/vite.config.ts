import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  // It loads each language when it is needed.
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Old enough to be everywhere, new enough to know light-dark(), which would otherwise be written out twice.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The server sends only what stands in files: nothing may become a data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
