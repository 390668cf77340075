import { z } from 'zod'
import type { AuditActor, Environment } from '../environment/index.js'
import { isTaskboardError, parseInput, TaskboardError } from '../errors/index.js'
import type { LimitStore } from '../limits/index.js'
import { emailInput, newPasswordInput } from './access-input.js'
import type { AccessStore } from './access-store.js'
import { requireUncommon } from './common-passwords.js'
import { addressBucket } from './credential-guard.js'
import { credentialDigest } from './credential-digest.js'
import type { PasswordWork } from './password-work.js'
import type { Principal } from './principal.js'
import { beyond, roleNames, roles, scopesOfRole, type Role } from './roles.js'
import { userActor, type LoginOrigin } from './login-check.js'
import type { Sessions, SessionTokens } from './sessions.js'
import type { Invitation } from './user.js'

/** An invitation for the host to send. */
export interface InvitationMessage {
  readonly email: string
  /** The page that accepts it. Anyone who has it can become this member. */
  readonly link: string
  readonly role: Role
  readonly accountId: string
  readonly accountName: string
  /** When the link expires, in epoch milliseconds. */
  readonly expiresAt: number
  readonly invitedBy: { readonly id: string; readonly name: string | null }
}

/** Invites people to an account. */
export interface Invitations {
  /**
   * Invites an address, which need not be new. Sends the link by the host's `onInvitation`, or returns it.
   * @throws TaskboardError `FORBIDDEN` for a role with scopes that the caller lacks; `QUOTA_EXCEEDED` beyond 20 open ones, `RATE_LIMITED`
   * beyond 50 in any 24 hours, of the account. `MISSING_FIELD` (`showLink`) when the host sends none. `SERVICE_UNAVAILABLE` when it
   * couldn't send this one, which is withdrawn then.
   */
  create(
    inviter: Principal,
    input: { readonly email: string; readonly role: Role; readonly showLink?: boolean | null | undefined },
    by?: AuditActor,
  ): Promise<{ readonly invitation: Invitation; readonly link: string | null }>
  /** Those that are open, newest first. */
  list(by: Principal): Promise<readonly Invitation[]>
  /** Withdraws one. @throws TaskboardError `NOT_FOUND`. */
  withdraw(caller: Principal, invitationId: string, by?: AuditActor): Promise<void>
  /** What a token invites to. @throws TaskboardError `UNAUTHORIZED` for one that is unknown, used or over; `RATE_LIMITED`. */
  show(token: string, origin: LoginOrigin): Promise<Invitation>
  /**
   * Makes the user, with this password, and begins a session.
   * @throws TaskboardError as `show`; `INVALID_FIELD` (`password`); `CONFLICT` (`email`) when another user has the address.
   */
  accept(
    input: { readonly token: string; readonly password: string },
    origin: LoginOrigin,
  ): Promise<SessionTokens>
}

export interface InvitationsDeps {
  readonly environment: Environment
  readonly store: AccessStore
  readonly limits: LimitStore
  readonly passwords: PasswordWork
  readonly sessions: Sessions
  /** The page that accepts the invitation of a token. */
  readonly linkTo: (token: string) => string
  readonly onInvitation?: ((message: InvitationMessage) => void | Promise<void>) | undefined
}

const DAY_MS = 86_400_000
const LIFETIME_MS = 7 * DAY_MS
const MOST_OPEN = 20
const MOST_A_DAY = 50
/** Each costs a hash of a password. */
const MOST_TRIES = 10
const TOKEN_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/
const OVER = 'the invitation was used or withdrawn, or has expired; ask for a new one'

const input = z.strictObject({
  email: emailInput,
  role: z.enum(roleNames, { error: `must be one of ${roleNames.join(', ')}` }),
  showLink: z.boolean({ error: 'must be true or false' }).nullish(),
})

/** What a rejected acceptance throws. An invitation of an address that another user has can't be accepted any more. */
async function refuseAcceptance(
  { environment, store }: InvitationsDeps,
  { accountId, id: invitationId }: Invitation,
  error: unknown,
): Promise<never> {
  if (isTaskboardError(error, 'CONFLICT')) {
    await store.deleteInvitation({ accountId, invitationId }, environment.call({ by: { kind: 'system' } }))
  }
  // Somebody else was faster.
  throw isTaskboardError(error, 'NOT_FOUND') ? new TaskboardError('UNAUTHORIZED', OVER) : error
}

async function send(
  { environment, onInvitation }: InvitationsDeps,
  message: InvitationMessage,
): Promise<void> {
  try {
    await onInvitation?.(message)
  } catch (error) {
    environment.logger.error({ err: error, accountId: message.accountId }, 'an invitation could not be sent')
    throw new TaskboardError('SERVICE_UNAVAILABLE', 'the invitation could not be sent; try again')
  }
}

/** Counts a use. @throws TaskboardError `RATE_LIMITED` when a day has had as many as the limit. */
async function requireFew(
  { environment, limits }: InvitationsDeps,
  { key, limit, rule }: { readonly key: string; readonly limit: number; readonly rule: string },
): Promise<void> {
  const { allowed, retryAfterMs } = await limits.take({ key, limit, windowMs: DAY_MS }, environment.call())
  if (!allowed) throw new TaskboardError('RATE_LIMITED', rule, { retryAfterMs })
}

/** `Invitations.create`. */
function createInvite(deps: InvitationsDeps): Invitations['create'] {
  const { environment, store, linkTo, onInvitation } = deps

  return async (inviter, given, by) => {
    const { email, role, showLink = false } = parseInput(input, given)
    const [lacking] = beyond(inviter, roles[role])
    if (lacking !== undefined) {
      throw new TaskboardError(
        'FORBIDDEN',
        `only who has the scope ${lacking} can invite with the role ${role}`,
      )
    }
    if (onInvitation === undefined && showLink !== true) {
      throw new TaskboardError(
        'MISSING_FIELD',
        'showLink is required, because this host sends no invitations',
        {
          field: 'showLink',
        },
      )
    }
    const { id, name = null, accountId } = inviter
    const rule = `an account can invite ${MOST_A_DAY} times per day`
    await requireFew(deps, { key: `invitations:${accountId}`, limit: MOST_A_DAY, rule })
    const token = Buffer.from(environment.random.bytes(TOKEN_BYTES)).toString('base64url')
    const stored = {
      accountId,
      email,
      scopes: scopesOfRole(role),
      tokenHash: credentialDigest(token),
      createdBy: id,
      ttlMs: LIFETIME_MS,
      isMailed: showLink !== true,
      most: MOST_OPEN,
    }
    const { invitation } = await store.insertInvitation(stored, environment.call({ by }))
    const link = linkTo(token)
    if (showLink === true) return { invitation, link }
    const { accountName, expiresAt } = invitation
    try {
      await send(deps, { email, link, role, accountId, accountName, expiresAt, invitedBy: { id, name } })
    } catch (error) {
      await store.deleteInvitation({ accountId, invitationId: invitation.id }, environment.call({ by }))
      throw error
    }
    return { invitation, link: null }
  }
}

export function createInvitations(deps: InvitationsDeps): Invitations {
  const { environment, store, passwords, sessions } = deps

  async function find(token: string, { clientAddress }: LoginOrigin): Promise<Invitation> {
    const tokenHash = credentialDigest(token)
    return sessions.withFewWrong(clientAddress, async () => {
      const [found] = TOKEN.test(token) ? await store.listInvitations({ tokenHash }, environment.call()) : []
      if (found === undefined) throw sessions.refuseToken(clientAddress, OVER)
      return found
    })
  }

  return {
    create: createInvite(deps),
    list: ({ accountId }) => store.listInvitations({ accountId }, environment.call()),
    async withdraw({ accountId }, invitationId, by) {
      if (await store.deleteInvitation({ accountId, invitationId }, environment.call({ by }))) return
      throw new TaskboardError('NOT_FOUND', 'no such invitation')
    },
    show: find,
    async accept({ token, password }, origin) {
      const found = await find(token, origin)
      const tokenHash = credentialDigest(token)
      parseInput(newPasswordInput, { password })
      await requireUncommon(password, found.email)
      const rule = 'too many tries to accept this invitation'
      await requireFew(deps, { key: `acceptance:${tokenHash}`, limit: MOST_TRIES, rule })
      // Whoever has a link is a stranger still.
      const client = { key: addressBucket(origin.clientAddress), isKnown: false }
      const passwordHash = await passwords.hash(password, client)
      const call = environment.call({ by: userActor(null, origin) })
      const { user } = await store
        .acceptInvitation({ tokenHash, passwordHash }, call)
        .catch((error: unknown) => refuseAcceptance(deps, found, error))
      return sessions.begin({ userId: user.id, passwordHash }, origin)
    },
  }
}
