import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

type Json = Readonly<Record<string, unknown>>

/** The versions of the protocol that clients speak: the newest, and one that begins with a handshake. */
export const versions = ['2026-07-28', '2025-11-25', '2025-06-18'] as const
export type Version = (typeof versions)[number]

/** The official client, connected to the endpoint of a host. */
export async function connect(
  url: string,
  key: string,
  { version = '2026-07-28', path = '/mcp?tools=worker,planner' }: { version?: Version; path?: string } = {},
): Promise<Client> {
  const client = clientOf(version)
  const transport = new StreamableHTTPClientTransport(new URL(url + path), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return client
}

export function clientOf(version: Version): Client {
  const mode = version === '2026-07-28' ? { pin: version } : ('legacy' as const)
  return new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode },
      ...(version === '2025-06-18' && { supportedProtocolVersions: [version] }),
    },
  )
}

/** Calls a tool, and resolves with its structured content. */
export async function call(client: Client, name: string, args: Json = {}): Promise<Json> {
  const result = await client.callTool({ name, arguments: args })
  if (result.isError === true) throw new Error(JSON.stringify(result.content))
  return result.structuredContent as Json
}

/** Calls a tool that must be refused, and resolves with the error of API v2. */
export async function refused(client: Client, name: string, args: Json = {}): Promise<Json> {
  const result = await client.callTool({ name, arguments: args })
  const [content] = result.content
  if (result.isError !== true || content?.type !== 'text') throw new Error(JSON.stringify(result))
  return (JSON.parse(content.text) as { readonly error: Json }).error
}
