import { fileURLToPath } from 'node:url'
import type { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { clientOf, type Version } from '@taskboard/kit/mcp/mcp-client'

const program = fileURLToPath(new URL('./stdio-process.ts', import.meta.url))

interface Address {
  readonly url: string
  readonly key: string
}

/** The official client, connected to a server in a process of its own. */
export async function connectByStdio({ url, key }: Address, version: Version): Promise<Client> {
  const client = clientOf(version)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--conditions=@taskboard/source', '--import', import.meta.resolve('tsx'), program],
    env: { TASKBOARD_URL: url, TASKBOARD_KEY: key },
    stderr: 'inherit',
  })
  await client.connect(transport)
  return client
}
