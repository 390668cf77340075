import { basename } from 'node:path'
import { defineConfig, type Options } from 'tsup'

/** What packages build differently. tsup runs in the folder of one package. */
const own: Readonly<Record<string, Options>> = {
  cli: { entry: ['src/index.ts', 'src/main.ts'] },
  client: { platform: 'neutral', target: 'es2022' },
  core: { entry: ['src/index.ts', 'src/entries/storage.ts', 'src/entries/transport.ts'] },
  // `dist/app` is the application's, built by packages/dashboard/scripts/build-app.mjs.
  dashboard: { clean: ['!app', '!app/**'] },
}

export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  target: 'node20.19',
  platform: 'node',
  sourcemap: true,
  clean: true,
  // The schema of the database.
  loader: { '.sql': 'text' },
  esbuildOptions(options) {
    options.sourcesContent = false
  },
  ...own[basename(process.cwd())],
})
