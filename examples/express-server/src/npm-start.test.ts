import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@taskboard/example-demo/testing'
import { expect, it, onTestFinished } from 'vitest'

const start = new URL('../../../scripts/start.mjs', import.meta.url)
const compiled = new URL('../dist/', import.meta.url)

it('npm start compiles the server, copies the database of a new board, and does not build packages', async () => {
  const data = await mkdtemp(join(tmpdir(), 'taskboard-start-'))
  onTestFinished(() => rm(data, { recursive: true, force: true }))
  for (const board of ['new', 'found']) {
    const server = await startServer(start, { TASKBOARD_DATA: join(data, 'board') })
    expect(server.output()).toContain(`of the account "Demo", ${board}\n`)
    expect(server.output()).not.toContain('packages/')
    if (board === 'found') expect(server.output()).toMatch(/^Taskboard on Express/)
    const app = await fetch(server.link)
    expect([app.status, await app.text()]).toEqual([200, expect.stringContaining('assets/main-')])
    server.signal('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  }
  const names = await readdir(compiled)
  expect(names).toContain('main.js')
  // Type declarations would take most of the time.
  expect(names.filter((name) => name.endsWith('.d.ts'))).toEqual([])
}, 240_000)
