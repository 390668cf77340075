import { defineConfig, type Options } from 'tsup'

export const base: Options = {
  entry: ['src/index.ts'],
  format: 'esm',
  target: 'node20.19',
  platform: 'node',
  sourcemap: true,
  clean: true,
  // The workspace's own packages resolve to their built types here, as they do for an installed user.
  dts: { compilerOptions: { ignoreDeprecations: '6.0', customConditions: [] } },
  // The schema of the database.
  loader: { '.sql': 'text' },
  esbuildOptions(options) {
    options.sourcesContent = false
  },
}

export default defineConfig(base)
