import type { z } from 'zod'

/** The subjects of a client's methods, by their group: `tasks.create` is in `tasks`. */
export const clientGroups = {
  tasks: 'Tasks, for people, programs and agents.',
  'tasks.approvals': 'Approval requests of an agent, under a claim.',
  approvals: 'Approval requests, for people to decide.',
  schedules: 'Tasks that are made by the clock.',
  agents: 'The stored agents.',
  budgets: 'The monthly budgets of agents and workspaces. Their `setBudget` sets one.',
  chat: 'The chat agents of workspaces.',
  analytics: 'Figures of tasks and of language models.',
  webhooks: 'Endpoints for events.',
  notificationChannels: 'Channels that notify people.',
  messengers: 'Accounts and conversations of messengers that are linked.',
  account: 'The account of the caller, and the password and the second factor of the user.',
  'account.audit': 'The audit records of the account.',
  'account.mfa': 'The second factor of the user.',
  'account.sessions': 'The sessions of the user.',
  members: 'The users of the account.',
  apiKeys: 'API keys. Only users create them.',
  workspaces: 'The workspaces of the account. `account.get` lists them.',
  auth: 'Sessions of users. A client with `login` needs only `logout`. `login` leaves the credential of the client as it is.',
  board: 'The board API (v1), for the default workspace of the caller.',
} as const

/** A method of a client, such as `tasks.create`. Two are in no group. */
export type ClientMethod = `${keyof typeof clientGroups}.${string}` | 'openapi' | 'reference'

/** The facts that a client needs about an operation besides its schemas: `x-taskboard` of the OpenAPI document. */
export interface ClientTraits {
  /** Its method. */
  readonly client: ClientMethod
  /** Where it lists pages, the method that reads all of them. */
  readonly all?: ClientMethod
  /** Whether a second one changes nothing, so that it may be sent again when the response was lost. */
  readonly repeatable: boolean
}

/** The part of an operation that they follow from. */
interface Called {
  readonly client: ClientMethod
  readonly method: string
  readonly query?: z.ZodObject | undefined
  readonly body?: z.ZodObject | undefined
  readonly repeatable?: boolean | undefined
}

export function clientTraits({ client, method, query, body, repeatable }: Called): ClientTraits {
  const namesItsResult = method === 'GET' || method === 'PATCH' || (method === 'DELETE' && body === undefined)
  return {
    client,
    ...('cursor' in (query?.shape ?? {}) && { all: allPagesOf(client) }),
    repeatable: repeatable ?? namesItsResult,
  }
}

/** `tasks.list` and `tasks.listAll`, `tasks.logs` and `tasks.allLogs`. */
function allPagesOf(client: ClientMethod): ClientMethod {
  return client.replace(/\w+$/, (name) =>
    name === 'list' ? 'listAll' : `all${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  ) as ClientMethod
}
