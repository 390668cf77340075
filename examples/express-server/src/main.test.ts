import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  assertClaimedByTools,
  assertWorkerLines,
  launch,
  runInShell,
  startServer,
} from '@taskboard/example-demo/testing'
import { describe, expect, inject, it } from 'vitest'

const sources = new URL('main.ts', import.meta.url)
const main = new URL('main.js', inject('programs'))

describe('npm start', { timeout: 120_000 }, () => {
  it('answers the commands of the README of the examples', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    const [, commands = ''] = /^KEY=tb_…\n([\s\S]*?)^```$/m.exec(readme) ?? []
    const server = await startServer(sources)
    const page = await server.commands()
    const printed = await runInShell(commands.replaceAll('http://127.0.0.1:3000', server.url), server.key)
    await server.kill()
    const overview = '{"data":{"tasks":{"nodes":\\[{"title":"Write the report",.*\\]}}}'
    const added = '{"success":true,"task":{"id":"task_[0-9a-z]+","title":"Prepare the launch",.*}}'
    const replied = '{"success":true,"reply":"Added \\\\"Write the report\\\\".*}'
    expect(printed).toMatch(
      new RegExp(`^${added}{"success":true,"tasks":\\[.*\\],"count":\\d}${replied}${overview}$`),
    )
    const clients = page.match(/(?<=^TASKBOARD_URL=\S+ )TASKBOARD_KEY=.*$/gm)
    expect(clients).toHaveLength(2)
    expect(readme.match(/^TASKBOARD_KEY=.*$/gm)).toEqual(clients)
  })

  it('begins a new board with sample tasks, for which a new task does not wait', async () => {
    const server = await startServer(main, { TASKBOARD_SAMPLES: 'on' })
    await server.printed(/Started: Sample: pack the box for the fair/)
    await server.printed(/Question by .* on Sample: book the train: On which day/)
    await server.call('add', { title: 'Mine' })
    await server.printed(/Completed: Mine/)
    expect(server.output()).not.toContain('Completed: Sample')
    await server.kill()
  })

  it('notifies by a line in the terminal, once a user has set that up', async () => {
    const server = await startServer(main)
    const channel = { type: 'log', name: 'Terminal', config: {}, events: ['task.completed'] }
    const made = await fetch(`${server.url}/v2/notification-channels`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(channel),
    })
    expect(made.status).toBe(201)
    await server.call('add', { title: 'Order the cake' })
    await server.printed(/Z notification {3}\[Terminal\] Completed: Order the cake\n/)
    await server.kill()
  })

  it('runs no agent with TASKBOARD_AGENT=off, says so, and has lines of what a worker does', async () => {
    const server = await startServer(main, { TASKBOARD_AGENT: 'off' })
    expect(server.output()).toMatch(/^Agent: +agent_\w+ waits for a worker over HTTP$/m)
    expect(server.output()).not.toContain('the agent picks it up immediately')
    await assertWorkerLines(server)
    await assertClaimedByTools(server)
    await server.kill()
  })

  it.each([
    ['PORT', 'many', 'PORT must be a whole number'],
    ['HOST', '203.0.113.1', 'HOST 203.0.113.1 is not an address of this machine'],
    ['TASKBOARD_WEBHOOK_ALLOW', 'everything', 'TASKBOARD_WEBHOOK_ALLOW must list networks'],
    ['TASKBOARD_ENCRYPTION_KEY', 'short', 'TASKBOARD_ENCRYPTION_KEY cannot be used'],
    ['TASKBOARD_DATA', '/dev/null', 'TASKBOARD_DATA /dev/null cannot be used'],
    ['DATABASE_URL', '127.0.0.1:5432', 'DATABASE_URL must be a URL such as postgres://'],
    ['DATABASE_URL', 'postgres://127.0.0.1:1/board', 'DATABASE_URL names a database that cannot be reached'],
  ])('refuses %s=%s and says why', async (variable, value, reason) => {
    const server = await launch(main, { [variable]: value })
    expect(await server.ended).toEqual({ code: 1, signal: null })
    expect(server.output()).toContain(`Cannot start: ${reason}`)
    expect(server.output()).not.toContain('KEY=')
  })

  it('says that a port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const server = await launch(main, { PORT: String(port) })
    expect(await server.ended).toEqual({ code: 1, signal: null })
    expect(server.output()).toContain(`Cannot start: PORT ${port} is already in use on 127.0.0.1`)
    other.close()
  })

  it('ends with 0 when a run takes longer than allowed, and returns the claim', async () => {
    const server = await startServer(main, { TASKBOARD_DRAIN_MS: '50' })
    await server.call('add', { title: 'Endless', description: 'wait 30s' })
    await server.printed(/Started: Endless/)
    server.signal('SIGINT')
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(server.output()).toContain('Moved from DOING to TODO: Endless')
  })

  it('exits at once at the second signal', async () => {
    const server = await startServer(main)
    await server.call('add', { title: 'Endless', description: 'wait 30s' })
    await server.printed(/Started: Endless/)
    server.signal('SIGTERM')
    await server.printed(/SIGTERM: letting work in progress end/)
    server.signal('SIGTERM')
    expect(await server.ended).toEqual({ code: 143, signal: null })
  })
})
