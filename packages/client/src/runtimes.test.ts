import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveBoard } from '@taskboard/kit/hosts/board-host'

const run = promisify(execFile)

/** Whether a program is installed. */
function isThere(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))
}

/** Node.js 20 has a WebSocket only behind a flag. */
const runtimes: readonly (readonly [name: string, program: string, options: readonly string[]])[] = [
  ['Node.js', process.execPath, 'WebSocket' in globalThis ? [] : ['--experimental-websocket']],
  ...(isThere('deno') ? [['Deno', 'deno', ['run', '--allow-net']] as const] : []),
  ...(isThere('bun') ? [['Bun', 'bun', []] as const] : []),
]

describe('a bundle of the client', () => {
  let folder: string
  let bundle: string
  let imports: readonly unknown[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'taskboard-runtimes-'))
    bundle = join(folder, 'program.mjs')
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL('../test/runtime-program.ts', import.meta.url))],
      bundle: true,
      format: 'esm',
      // An import of a module of Node.js would not compile.
      platform: 'browser',
      outfile: bundle,
      metafile: true,
    })
    imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
  })

  afterAll(() => rm(folder, { recursive: true }))

  it('imports nothing', () => {
    expect(imports).toEqual([])
  })

  it.each(runtimes)(
    'calls, follows and works on %s, and lets the process end',
    async (_name, program, options) => {
      const host = await serveBoard()
      try {
        const { url, key, workspaceId, taskboard } = host
        const { id } = await taskboard.agents.create(workspaceId, { name: 'Remote', type: 'remote' })
        const { stdout } = await run(program, [...options, bundle, url, key, workspaceId, id])
        expect(JSON.parse(stdout)).toEqual({
          codes: ['RESOURCE_NOT_FOUND', 'AUTHENTICATION_FAILED'],
          aborted: 'left',
          result: 'COMPARE THE OFFERS',
          titles: ['Compare the offers'],
        })
      } finally {
        await host.close()
      }
    },
  )
})
