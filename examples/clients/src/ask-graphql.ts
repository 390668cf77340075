import type { ServerAccess } from './server-access.js'

interface Answer<Data> {
  /** A field whose scope the key lacks is null, with an error. The other fields are returned. */
  readonly data?: Data | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

/**
 * Sends one POST request to the GraphQL endpoint.
 * @throws Error with the server's message when the response is incomplete.
 */
export async function askGraphql<Data>(
  { url, key }: ServerAccess,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Data> {
  const response = await fetch(`${url}/v2/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
    },
    body: JSON.stringify({ query, variables }),
  }).catch((cause: unknown) => {
    throw new Error(`${url} cannot be reached`, { cause })
  })
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  if (!isJson) throw new Error(`${url} returns ${response.status}, but is not a task board`)
  const { data, errors = [] } = (await response.json()) as Answer<Data>
  if (errors.length > 0) {
    const said = errors.map(({ message, extensions }) => `${extensions?.code ?? 'ERROR'}: ${message}`)
    throw new Error(said.join('; '))
  }
  if (data === undefined || data === null) throw new Error(`${url} returns ${response.status} without data`)
  return data
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
