import { TaskboardError } from '@taskboard/core'
import type { RealtimeConnection } from '@taskboard/core/transport'

/**
 * Admits a connection by the payload of its `connection_init`: `{"authorization": "Bearer …"}`, the name in any case. Returns false
 * when the connection was refused and closed.
 */
export async function admitConnection(
  connection: RealtimeConnection,
  parameters: Readonly<Record<string, unknown>> | undefined,
): Promise<boolean> {
  try {
    await connection.admit(authorizationOf(parameters ?? {}))
    return connection.isOpen
  } catch (error) {
    connection.refuse(error, connection.describe(error).message)
    return false
  }
}

function authorizationOf(parameters: Readonly<Record<string, unknown>>): string {
  const [, value] = Object.entries(parameters).find(([name]) => name.toLowerCase() === 'authorization') ?? []
  if (typeof value === 'string') return value
  throw new TaskboardError('UNAUTHORIZED', 'connection_init must carry an authorization')
}
