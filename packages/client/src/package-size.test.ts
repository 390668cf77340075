import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** In bytes, with all that each part shares with the others. */
interface Sizes {
  /** What a page loads to call the API. */
  readonly first: number
  /** The same with the realtime channel. */
  readonly realtime: number
  /** What a worker loads in addition. */
  readonly worker: number
}

/** The gzipped size of the client in an application that a bundler splits. */
async function bundledSizes(): Promise<Sizes> {
  const entry = fileURLToPath(new URL('index.ts', import.meta.url))
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    outdir: 'out',
    write: false,
    metafile: true,
  })
  const sizes = new Map(
    outputFiles.map(({ path, contents }) => [path.split('/').at(-1), gzipSync(contents).length]),
  )
  const sizeOf = (path: string): number => sizes.get(path.split('/').at(-1)) ?? Number.NaN
  const sum = (paths: Iterable<string>): number => [...paths].reduce((total, path) => total + sizeOf(path), 0)
  const loadedBy = (path: string, loaded = new Set<string>()): Set<string> => {
    if (loaded.has(path)) return loaded
    loaded.add(path)
    const { imports = [] } = metafile.outputs[path] ?? {}
    for (const { kind, path: imported } of imports)
      if (kind === 'import-statement') loadedBy(imported, loaded)
    return loaded
  }
  const first = loadedBy('out/index.js')
  const part = (name: string): Set<string> => {
    const entries = Object.keys(metafile.outputs).filter((path) => path.startsWith(`out/${name}-`))
    return new Set(entries.flatMap((path) => [...loadedBy(path)]))
  }
  const realtime = sum(new Set([...first, ...part('realtime')]))
  return { first: sum(first), realtime, worker: sum([...part('worker')].filter((path) => !first.has(path))) }
}

describe('the size of the client', () => {
  it('is at most 8 kB gzipped, and 11 kB with the realtime channel; a worker adds 3.7 kB', async () => {
    const { first, realtime, worker } = await bundledSizes()
    expect(first).toBeGreaterThan(3_000)
    expect(first).toBeLessThanOrEqual(8_000)
    expect(realtime).toBeGreaterThan(first + 1_000)
    expect(realtime).toBeLessThanOrEqual(11_000)
    expect(worker).toBeGreaterThan(1_000)
    expect(worker).toBeLessThanOrEqual(3_700)
  })
})
