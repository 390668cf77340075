import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Client } from '@modelcontextprotocol/client'
import { clientOf, type Version } from '@taskboard/kit/mcp/mcp-client'
import { programPath } from './cli-process.js'

/** The official client of the protocol, which starts `taskboard mcp` as hosts of models do. */
export async function connectToMcp(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  version: Version = '2026-07-28',
): Promise<{ readonly client: Client; readonly pid: number }> {
  const client = clientOf(version)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath(), 'mcp', ...args],
    env,
    stderr: 'inherit',
  })
  await client.connect(transport)
  return { client, pid: transport.pid ?? 0 }
}
