import { join } from 'node:path'
import { build } from 'tsup'
import { root } from './run.mjs'

/**
 * Compiles benchmarks as the packages are, from the sources, since a loader would slow down what is measured. `entries` are
 * paths from the root by the name of what becomes of them; resolves to the folder that holds those.
 */
export async function compileBench(entries, folder) {
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
