import { z } from 'zod'
import { type Login, type Principal, scopeList, scopes, type Scope, type User } from '../../access/index.js'
import { TaskboardError, type InputOf } from '../../errors/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { requireWholeAccount } from './account-operations.js'
import { operation, type Operation } from './operation.js'
import { idText, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const member = z
  .object({
    id: z.string(),
    email: z.string(),
    scopes: z.array(z.enum(scopes)),
    is_caller: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'Member' })

const password = z
  .string({ error: 'must be text' })
  .meta({ description: '12 to 256 characters.', format: 'password' })

const listMembers = operation({
  id: 'listMembers',
  tag: 'account',
  summary: 'The users of the account, oldest first',
  description: 'Only for callers that reach the whole account.',
  method: 'GET',
  path: '/v2/account/members',
  client: 'members.list',
  scope: 'account:read',
  answer: { status: 200, schema: z.object({ members: z.array(member) }) },
  async run({ services, principal }) {
    requireWholeAccount(principal)
    const users = await services.accounts.listUsers(principal.accountId)
    return { members: users.map((user) => toWireMember(user, principal)) }
  },
})

const createMember = operation({
  id: 'createMember',
  tag: 'account',
  summary: 'Creates a user of the account',
  description:
    'The user can have at most the scopes of its creator, and has all of these by default. The e-mail address must be new on the whole board.',
  method: 'POST',
  path: '/v2/account/members',
  client: 'members.create',
  repeatable: false,
  scope: 'account:write',
  userOnly: true,
  body: z.object({
    email: z.string({ error: 'must be text' }).meta({ format: 'email' }),
    password,
    scopes: scopeList.nullish(),
  }),
  example: { email: 'grace@acme.example', password: 'correct horse battery' },
  answer: { status: 201, schema: member },
  async run({ services, principal, body }) {
    const wanted =
      body.scopes ?? (scopes.every((scope) => principal.scopes.includes(scope)) ? null : principal.scopes)
    requireScopes(principal, wanted ?? [])
    const input = { email: body.email, password: body.password, scopes: wanted === null ? null : [...wanted] }
    return toWireMember(await services.accounts.createUser(principal.accountId, input), principal)
  },
})

const deleteMember = operation({
  id: 'deleteMember',
  tag: 'account',
  summary: 'Deletes a user of the account',
  description:
    'All sessions of the user end. API keys stay. Users cannot delete themselves, so an account keeps one, nor users with scopes that they lack.',
  method: 'DELETE',
  path: '/v2/account/members/{user_id}',
  client: 'members.delete',
  scope: 'account:write',
  userOnly: true,
  params: z.object({ user_id: idText }),
  answer: { status: 204 },
  async run({ services, principal, params }) {
    const user = await findMember(services, principal, params.user_id)
    if (user.id === principal.id) throw new TaskboardError('CONFLICT', 'users cannot delete themselves')
    requireScopes(principal, user.scopes)
    await services.accounts.deleteUser(user.id)
  },
})

/** The users of the account. Absent with the host's login. */
export function memberOperations(login: Login): readonly Operation[] {
  return [listMembers, createMember, deleteMember, changePasswordOperation(login)]
}

function changePasswordOperation(login: Login): Operation {
  return operation({
    id: 'changePassword',
    tag: 'account',
    summary: 'Changes the password of the user',
    description:
      'All sessions of the user end, this one too: log in again. Ten wrong passwords lock this for 15 minutes.',
    method: 'POST',
    path: '/v2/account/password',
    client: 'account.setPassword',
    repeatable: false,
    scope: 'any',
    userOnly: true,
    body: z.object({
      current_password: z.string({ error: 'must be text' }).meta({ format: 'password' }),
      password,
    }),
    example: { current_password: 'the old horse battery', password: 'another horse battery' },
    answer: { status: 204 },
    async run({ services, principal, body }) {
      await login.confirmPassword(principal.id, body.current_password)
      await services.accounts.setPassword(principal.id, body.password)
    },
  })
}

/** @throws TaskboardError `NOT_FOUND`, also for a user of another account. */
async function findMember(
  services: TransportServices,
  { accountId }: Principal,
  userId: string,
): Promise<User> {
  const users = await services.accounts.listUsers(accountId)
  const user = users.find(({ id }) => id === userId)
  if (user === undefined) throw new TaskboardError('NOT_FOUND', 'no such user')
  return user
}

function requireScopes(principal: Principal, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !principal.scopes.includes(scope))
  if (lacking.length === 0) return
  throw new TaskboardError('FORBIDDEN', `the caller lacks ${lacking.join(', ')}`)
}

function toWireMember(
  { id, email, scopes: held, createdAt }: User,
  principal: Principal,
): InputOf<typeof member> {
  return { id, email, scopes: [...held], is_caller: id === principal.id, created_at: toTimestamp(createdAt) }
}
