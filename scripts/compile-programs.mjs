import { join } from 'node:path'
import { build } from 'tsup'
import { root } from './run.mjs'

/**
 * Compiles programs from the sources, as the packages are. A loader would slow down benchmarks, and the start of each process in a
 * test. `entries` are paths from the root by the name of the output. Resolves to the output folder, which also has `metafile-esm.json`.
 */
export async function compilePrograms(entries, folder, plugins = []) {
  const outDir = join(root, 'node_modules/.cache', folder)
  await build({
    config: false,
    entry: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)])),
    outDir,
    format: 'esm',
    target: 'node20.19',
    silent: true,
    metafile: true,
    skipNodeModulesBundle: true,
    noExternal: [/^@taskboard\//],
    loader: { '.sql': 'text' },
    esbuildPlugins: plugins,
    esbuildOptions(options) {
      options.conditions = ['@taskboard/source']
      options.absWorkingDir = root
    },
  })
  return outDir
}
