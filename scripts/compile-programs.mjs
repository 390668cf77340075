import { join } from 'node:path'
import { build } from 'tsup'
import { root } from './run.mjs'

/**
 * Compiles programs as the packages are, from the sources: a loader would slow down what a benchmark measures, and the start of
 * every process of a test. `entries` are paths from the root by the name of what becomes of them; resolves to the folder that
 * holds those.
 */
export async function compilePrograms(entries, folder) {
  const outDir = join(root, 'node_modules/.cache', folder)
  await build({
    config: false,
    entry: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)])),
    outDir,
    format: 'esm',
    target: 'node20.19',
    silent: true,
    skipNodeModulesBundle: true,
    noExternal: [/^@taskboard\//],
    esbuildOptions(options) {
      options.conditions = ['@taskboard/source']
    },
  })
  return outDir
}
