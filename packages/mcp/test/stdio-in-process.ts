import { type Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { clientOf, type Version } from '@taskboard/kit/mcp/mcp-client'
import { type BoardClient, serveMcpOverStdio, type StdioOptions } from '../src/index.js'

interface InProcess extends Pick<StdioOptions, 'agent' | 'tools' | 'onError'> {
  readonly version?: Version
}

/** The official client, connected to the server for stdio in this process. */
export async function connectInProcess(
  board: BoardClient,
  { version = '2026-07-28', ...options }: InProcess = {},
): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  serveMcpOverStdio(board, { tools: ['worker', 'planner'], transport: far, ...options })
  const client = clientOf(version)
  await client.connect(near)
  return client
}
