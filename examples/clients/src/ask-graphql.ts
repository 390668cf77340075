import { createClient } from '@taskboard/client'
import type { ServerAccess } from './server-access.js'

/** A person waits at the terminal. */
const DEADLINE_MS = 5_000

/**
 * Sends one document to the GraphQL endpoint.
 * @throws TaskboardApiError when it is rejected, or the response is incomplete.
 */
export async function askGraphql<Data>(
  { url, key }: ServerAccess,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Data> {
  const client = createClient({ baseUrl: url, key, retry: { deadlineMs: DEADLINE_MS } })
  return client.graphql<Data>(query, variables)
}

/** The oldest workspace that the key reaches. Needs the scope `account:read`. */
export async function firstWorkspace(access: ServerAccess): Promise<string> {
  const { workspaces } = await askGraphql<{ workspaces: readonly { readonly id: string }[] }>(
    access,
    '{ workspaces { id } }',
  )
  const [first] = workspaces
  if (first === undefined) throw new Error('the key reaches no workspace')
  return first.id
}
