import { z } from 'zod'
import {
  beyond,
  type Invitation,
  type Login,
  type Principal,
  roleNames,
  roleOf,
  roles,
  scopeList,
  scopes,
  type Scope,
  type User,
} from '../../access/index.js'
import type { AuditActor } from '../../environment/index.js'
import { TaskboardError, type InputOf } from '../../errors/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { requireWholeAccount } from './account-operations.js'
import { operation, type Operation } from './operation.js'
import { idText, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const member = z
  .object({
    id: z.string(),
    email: z.string(),
    role: z.enum(roleNames).nullable().meta({ description: 'Null when the scopes match no role.' }),
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

const invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    role: z.enum(roleNames).nullable(),
    created_by: z.string(),
    created_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: 'Invitation' })

const createMember = (login: Login) =>
  operation({
    id: 'createMember',
    tag: 'account',
    summary: 'Invites someone to the account',
    description:
      'The address may be new or known; the answer is the same. The host sends the link, or with show_link the response has it, once: anyone who has the link becomes the member. A link is good for seven days. A role can have at most the scopes of its giver. With a password and without a role, where the host allows it, the user is created immediately.',
    method: 'POST',
    path: '/v2/account/members',
    client: 'members.create',
    repeatable: false,
    scope: 'account:write',
    userOnly: true,
    needsProof: true,
    body: z.object({
      email: z.string({ error: 'must be text' }).meta({ format: 'email' }),
      role: z.enum(roleNames, { error: `must be one of ${roleNames.join(', ')}` }).nullish(),
      show_link: z.boolean().nullish(),
      password: password.nullish(),
      scopes: scopeList.nullish(),
    }),
    example: { email: 'grace@acme.example', role: 'member', show_link: true },
    answer: {
      status: 201,
      schema: z.union([
        z.object({
          invitation: invitation.extend({
            link: z.string().nullable().meta({ description: 'With show_link, this once; else null.' }),
          }),
        }),
        member,
      ]),
    },
    async run({ services, principal, by, body }) {
      const { email, role, show_link: showLink } = body
      if (body.password != null) return createDirectly(services, principal, body, by)
      if (role == null) throw new TaskboardError('MISSING_FIELD', 'role is required', { field: 'role' })
      const made = await login.invitations.create(principal, { email, role, showLink }, by)
      return { invitation: { ...toWireInvitation(made.invitation), link: made.link } }
    },
  })

/** A member without an invitation. */
async function createDirectly(
  services: TransportServices,
  principal: Principal,
  body: {
    readonly email: string
    readonly password?: string | null | undefined
    readonly scopes?: readonly Scope[] | null | undefined
  },
  by: AuditActor,
) {
  if (!services.directMembers) {
    throw new TaskboardError('INVALID_FIELD', 'password must be absent: this host only invites members', {
      field: 'password',
    })
  }
  const all = scopes.every((scope) => principal.scopes.includes(scope)) ? null : principal.scopes
  const wanted = body.scopes ?? all
  requireScopes(principal, wanted ?? [])
  const user = {
    email: body.email,
    password: body.password ?? '',
    scopes: wanted === null ? null : [...wanted],
  }
  return toWireMember(await services.accounts.createUser(principal.accountId, user, { by }), principal)
}

const listInvitations = (login: Login) =>
  operation({
    id: 'listInvitations',
    tag: 'account',
    summary: 'The open invitations of the account, newest first',
    method: 'GET',
    path: '/v2/account/invitations',
    client: 'members.invitations',
    scope: 'account:read',
    answer: { status: 200, schema: z.object({ invitations: z.array(invitation) }) },
    async run({ principal }) {
      requireWholeAccount(principal)
      return { invitations: (await login.invitations.list(principal)).map(toWireInvitation) }
    },
  })

const deleteInvitation = (login: Login) =>
  operation({
    id: 'deleteInvitation',
    tag: 'account',
    summary: 'Withdraws an invitation',
    method: 'DELETE',
    path: '/v2/account/invitations/{invitation_id}',
    client: 'members.withdraw',
    scope: 'account:write',
    userOnly: true,
    params: z.object({ invitation_id: idText }),
    answer: { status: 204 },
    run: ({ principal, by, params }) => login.invitations.withdraw(principal, params.invitation_id, by),
  })

const updateMember = operation({
  id: 'updateMember',
  tag: 'account',
  summary: 'Changes the role of a user of the account',
  description:
    'Only to and from roles whose scopes the caller has. API keys of the user with scopes that it loses are revoked, and invitations that it may not make any more are withdrawn. An account keeps at least one user who may change it.',
  method: 'PATCH',
  path: '/v2/account/members/{user_id}',
  client: 'members.update',
  scope: 'account:write',
  userOnly: true,
  needsProof: true,
  params: z.object({ user_id: idText }),
  body: z.object({ role: z.enum(roleNames, { error: `must be one of ${roleNames.join(', ')}` }) }),
  example: { role: 'viewer' },
  answer: { status: 200, schema: member },
  async run({ services, principal, by, params, body }) {
    const user = await findMember(services, principal, params.user_id)
    requireScopes(principal, [...user.scopes, ...roles[body.role]])
    const changed = await services.accounts.setRole(principal.accountId, user.id, body.role, { by })
    return toWireMember(changed, principal)
  },
})

const deleteMember = operation({
  id: 'deleteMember',
  tag: 'account',
  summary: 'Deletes a user of the account',
  description:
    'All sessions of the user end, its open invitations are withdrawn, and the API keys that the user made are revoked, unless keep_keys is true. Users cannot delete themselves, nor users with scopes that they lack. An account keeps at least one user who may change it.',
  method: 'DELETE',
  path: '/v2/account/members/{user_id}',
  client: 'members.delete',
  scope: 'account:write',
  userOnly: true,
  needsProof: true,
  params: z.object({ user_id: idText }),
  query: z.object({ keep_keys: z.enum(['true', 'false'], { error: 'must be true or false' }).optional() }),
  answer: { status: 204 },
  async run({ services, principal, by, params, query }) {
    const user = await findMember(services, principal, params.user_id)
    if (user.id === principal.id) throw new TaskboardError('CONFLICT', 'users cannot delete themselves')
    requireScopes(principal, user.scopes)
    await services.accounts.deleteUser(user.id, {
      keepKeys: query.keep_keys === 'true',
      mayBeLast: false,
      by,
    })
  },
})

/** The users of the account. Absent with the host's login. */
export function memberOperations(login: Login): readonly Operation[] {
  return [
    listMembers,
    createMember(login),
    updateMember,
    deleteMember,
    listInvitations(login),
    deleteInvitation(login),
    changePasswordOperation(login),
  ]
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
    needsProof: true,
    body: z.object({
      current_password: z.string({ error: 'must be text' }).meta({ format: 'password' }),
      password,
    }),
    example: { current_password: 'the old horse battery', password: 'another horse battery' },
    answer: { status: 204 },
    async run({ services, principal, by, body }) {
      await login.confirmPassword(principal.id, body.current_password, by)
      await services.accounts.setPassword(principal.id, body.password, { by })
    },
  })
}

/** @throws TaskboardError `NOT_FOUND`, including for a user of another account. */
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
  const lacking = [...new Set(beyond(principal, wanted))]
  if (lacking.length === 0) return
  throw new TaskboardError('FORBIDDEN', `the caller lacks ${lacking.join(', ')}`)
}

function toWireMember(
  { id, email, scopes: held, createdAt }: User,
  principal: Principal,
): InputOf<typeof member> {
  return {
    id,
    email,
    role: roleOf(held),
    scopes: [...held],
    is_caller: id === principal.id,
    created_at: toTimestamp(createdAt),
  }
}

function toWireInvitation({
  id,
  email,
  scopes: held,
  createdBy,
  createdAt,
  expiresAt,
}: Invitation): InputOf<typeof invitation> {
  return {
    id,
    email,
    role: roleOf(held),
    created_by: createdBy,
    created_at: toTimestamp(createdAt),
    expires_at: toTimestamp(expiresAt),
  }
}
