import { TaskboardError, type RealtimeConnection } from '@taskboard/core'

/**
 * Admits a connection by what its `connection_init` carries: `{"authorization": "Bearer …"}`, the name in any case. False when it is
 * refused, and ended.
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
