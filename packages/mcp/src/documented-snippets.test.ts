import { readFileSync } from 'node:fs'
import type { Client } from '@modelcontextprotocol/client'
import type { Scope } from '@taskboard/core'
import { afterEach, describe, expect, it } from 'vitest'
import { call, connect } from '@taskboard/kit/mcp/mcp-client'
import { type McpHost, mounts, serveMcp } from '@taskboard/kit/mcp/mcp-host'

const page = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8')
const [, agentName = '', agentType = ''] = /taskboard agents create "(.+)" --type (\S+)/.exec(page) ?? []
const scopes = [...(/taskboard keys create .*/.exec(page)?.[0] ?? '').matchAll(/--scope (\S+)/g)].map(
  ([, scope]) => scope as Scope,
)
/** The addresses of all settings for clients: those in JSON, and the one of a command. */
const paths = [...page.matchAll(/["']https:\/\/app\.example(\/mcp[^"']*)["']/g)].map(([, path]) =>
  String(path),
)

let host: McpHost
let client: Client | undefined
afterEach(async () => {
  await client?.close()
  await host.close()
})

describe.each(mounts)('the settings of the page for clients, on %s', (_, mount) => {
  it.each([...new Set(paths)])(
    'claim at the first call, with the documented key and agent: %s',
    async (path) => {
      expect(paths).toHaveLength(4)
      host = await serveMcp({ mount })
      const { id } = await host.taskboard.agents.create(host.workspaceId, {
        name: agentName,
        type: agentType,
      })
      const task = await host.board.add({ title: 'Translate' })
      client = await connect(host.url, await host.createKey(...scopes), { path })
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_task')
      expect(await call(client, 'claim_task')).toMatchObject({ task: { id: task.id } })
      expect((await host.board.get(task.id)).lease?.agentId).toBe(id)
    },
  )
})
