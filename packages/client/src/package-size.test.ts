import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

interface Sizes {
  /** What a page loads to call the API, in bytes. */
  readonly first: number
  /** With what it loads later, for the realtime channel and workers. */
  readonly all: number
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
  const first = new Set<string>()
  const load = (path: string): void => {
    if (first.has(path)) return
    first.add(path)
    const { imports = [] } = metafile.outputs[path] ?? {}
    for (const { kind, path: imported } of imports) if (kind === 'import-statement') load(imported)
  }
  load('out/index.js')
  const sizeOf = (path: string): number => sizes.get(path.split('/').at(-1)) ?? Number.NaN
  const sum = (paths: Iterable<string>): number => [...paths].reduce((total, path) => total + sizeOf(path), 0)
  return { first: sum(first), all: sum(Object.keys(metafile.outputs)) }
}

describe('the size of the client', () => {
  it('is at most 8 kB gzipped, and 11 kB with the realtime channel and workers', async () => {
    const { first, all } = await bundledSizes()
    expect(first).toBeGreaterThan(3_000)
    expect(first).toBeLessThanOrEqual(8_000)
    expect(all).toBeLessThanOrEqual(11_000)
  })
})
