import {
  createTaskboard,
  isTaskboardError,
  type AuditDetails,
  type AuditRecord,
  type InvitationMessage,
  type Principal,
  scopes as everyScope,
  type Scope,
  type Storage,
  type Taskboard,
} from '@taskboard/core'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import assert from 'node:assert/strict'
import { oneTimePassword } from './one-time-password.js'

const STEPS = 30
const PASSWORD = 'correct horse battery'
const roleNames = ['owner', 'manager', 'member', 'viewer'] as const
const HERE = { clientAddress: '203.0.113.7', userAgent: 'history' }

/** Chance. */
interface Dice {
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
}

const MANY = 1_000_000

const diceOf = (below: (limit: number) => number): Dice => ({
  below,
  chance: (probability) => below(MANY) < probability * MANY,
  pick: (values) => values[below(values.length)] as (typeof values)[number],
})

/** Who may do what: what the audit must explain. All values are plain, so that two states can be compared. */
interface AccessState {
  tier: string
  requireOtherPerson: boolean
  readonly workspaces: Set<string>
  /** The scopes by user. */
  readonly users: Map<string, string>
  readonly enrolled: Set<string>
  /** The user by session. */
  readonly sessions: Map<string, string>
  readonly keys: Map<string, string>
  readonly invitations: Set<string>
}

interface History {
  readonly dice: Dice
  readonly storage: Storage
  readonly boards: readonly Taskboard[]
  readonly accountId: string
  readonly clock: ReturnType<typeof virtualClock>
  readonly links: InvitationMessage[]
  readonly refreshTokens: string[]
  /** The second factors, by user. */
  readonly factors: Map<string, string>
  addresses: number
}

const emptyState = (): AccessState => ({
  tier: '',
  requireOtherPerson: false,
  workspaces: new Set(),
  users: new Map(),
  enrolled: new Set(),
  sessions: new Map(),
  keys: new Map(),
  invitations: new Set(),
})

async function begin(dice: Dice, storage: Storage): Promise<History> {
  const clock = virtualClock()
  const links: InvitationMessage[] = []
  const boards = [1, 2].map(() =>
    createTaskboard({
      storage,
      clock,
      logger: false,
      passwordHasher: plainPasswordHasher,
      tokens: { secret: 's'.repeat(32) },
      secrets: { encryptionKey: '0'.repeat(64) },
      limits: { failedCredentialsPerMinute: 1e4 },
      members: { onInvitation: (message) => void links.push(message) },
    }),
  )
  const owner = { email: 'ada@acme.example', password: PASSWORD }
  const { account } = await (boards[0] as Taskboard).accounts.create({ name: 'Acme', tier: 'custom', owner })
  const own = { links, refreshTokens: [], factors: new Map<string, string>(), addresses: 0 }
  return { dice, storage, boards, accountId: account.id, clock, ...own }
}

const text = (details: AuditDetails, name: string): string | null => (details[name] ?? null) as string | null
const texts = (details: AuditDetails, name: string): readonly string[] =>
  (details[name] ?? []) as readonly string[]
const scopesIn = ({ scopes }: AuditDetails): string => [...((scopes ?? everyScope) as string[])].sort().join()
const keyText = (scopes: string, workspaceId: string | null, expiresAt: string | null) =>
  `${scopes} of ${workspaceId}, until ${expiresAt}`

/** What the state is after a record: all that the audit has to say of it. */
function follow(state: AccessState, { action, by, target, details }: AuditRecord): void {
  const id = target?.id ?? ''
  switch (action) {
    case 'account.created':
      state.tier = String(details['tier'])
      state.workspaces.add(text(details, 'workspace_id') ?? '')
      if (details['owner'] != null) state.users.set(String(details['owner']), scopesIn(details))
      return
    case 'account.changed':
      state.tier = text(details, 'tier') ?? state.tier
      state.requireOtherPerson = (details['require_other_person'] ?? state.requireOtherPerson) as boolean
      return
    case 'workspace.created':
      return void state.workspaces.add(id)
    case 'workspace.deleted':
      state.workspaces.delete(id)
      for (const [key, held] of state.keys) if (held.includes(` of ${id}, `)) state.keys.delete(key)
      return
    case 'member.added':
      return void state.users.set(id, scopesIn(details))
    case 'member.changed':
      for (const key of texts(details, 'keys')) state.keys.delete(key)
      for (const invitation of texts(details, 'invitations')) state.invitations.delete(invitation)
      return void state.users.set(id, scopesIn(details))
    case 'member.joined':
      state.users.set(id, scopesIn(details))
      return void state.invitations.delete(text(details, 'invitation') ?? '')
    case 'member.deleted':
      state.users.delete(id)
      state.enrolled.delete(id)
      for (const key of texts(details, 'keys')) state.keys.delete(key)
      for (const invitation of texts(details, 'invitations')) state.invitations.delete(invitation)
      for (const session of texts(details, 'sessions')) state.sessions.delete(session)
      return
    case 'invitation.created':
      state.invitations.delete(text(details, 'replaces') ?? '')
      return void state.invitations.add(id)
    case 'invitation.withdrawn':
      return void state.invitations.delete(id)
    case 'password.changed':
      for (const session of texts(details, 'sessions')) state.sessions.delete(session)
      return
    case 'mfa.enrolled':
      return void state.enrolled.add(id)
    case 'mfa.removed':
      return void state.enrolled.delete(id)
    case 'session.began':
      return void state.sessions.set(id, by.id ?? '')
    case 'session.reused':
      return void state.sessions.delete(id)
    case 'session.ended':
      state.sessions.delete(id)
      for (const session of texts(details, 'sessions')) state.sessions.delete(session)
      return
    case 'key.created':
      return void state.keys.set(
        id,
        keyText(scopesIn(details), text(details, 'workspace_id'), text(details, 'expires_at')),
      )
    case 'key.rotated': {
      const [scopes, workspaceId] = [scopesIn(details), text(details, 'workspace_id')]
      state.keys.set(id, keyText(scopes, workspaceId, text(details, 'old_expires_at')))
      return void state.keys.set(
        text(details, 'key') ?? '',
        keyText(scopes, workspaceId, text(details, 'expires_at')),
      )
    }
    case 'key.revoked':
      return void state.keys.delete(id)
    default:
  }
}

/** The state as the storage has it. */
async function readState({ storage, accountId, clock }: History): Promise<AccessState> {
  const call = { now: clock.now() }
  const { access, sessions } = storage
  const state = emptyState()
  const [account] = await access.listAccounts({ accountId }, call)
  state.tier = account?.tier ?? ''
  state.requireOtherPerson = account?.requireOtherPerson ?? false
  for (const { id } of await access.listWorkspaces({ accountId }, call)) state.workspaces.add(id)
  for (const { id, scopes } of await access.listUsers({ accountId }, call)) {
    state.users.set(id, [...scopes].sort().join())
    if ((await sessions.findSignIn({ userId: id }, call))?.mfaSecret != null) state.enrolled.add(id)
    for (const session of await sessions.listSessions({ userId: id }, call))
      state.sessions.set(session.id, id)
  }
  const reach = { accountId, workspaceIds: 'all' } as const
  for (const key of await access.listApiKeys({ reach, limit: null, afterId: null }, call)) {
    const until = key.expiresAt === null ? null : new Date(key.expiresAt).toISOString()
    if (key.revokedAt !== null) continue
    state.keys.set(key.id, keyText([...key.scopes].sort().join(), key.workspaceId, until))
  }
  for (const { id } of await access.listInvitations({ accountId }, call)) state.invitations.add(id)
  return state
}

const principalOf = ({ accountId }: History, id: string, workspaceId: string): Principal => ({
  id,
  kind: 'user',
  accountId,
  tier: 'custom',
  scopes: everyScope,
  workspaceIds: 'all',
  defaultWorkspaceId: workspaceId,
})

/** One step of somebody, of the host or of a stranger. What it asks for may be refused. */
async function step(history: History): Promise<void> {
  const { dice, boards, accountId, links, refreshTokens, factors, clock } = history
  const { accounts, services } = dice.pick(boards)
  const { keys, login } = services
  if (login === null) throw new Error('no login')
  const state = await readState(history)
  const users = [...state.users.keys()]
  const userId = dice.pick(users.length === 0 ? ['user_none'] : users)
  const workspaceId = dice.pick([...state.workspaces])
  const caller = principalOf(history, userId, workspaceId)
  const by = { kind: 'user', id: userId, clientAddress: HERE.clientAddress } as const
  const someScopes = everyScope.filter(() => dice.chance(0.4)).slice(0, 5)
  const keyScopes: Scope[] = someScopes.length === 0 ? ['tasks:read'] : someScopes
  const keyId = dice.pick([...state.keys.keys(), 'ak_unknown'])
  const session = [...state.sessions].find(([, of]) => of === userId)?.[0] ?? 'ses_unknown'
  const factor = factors.get(userId)
  const mfaCode = factor === undefined ? '000000' : oneTimePassword(factor, clock.now())
  const { email = '' } = (await accounts.listUsers(accountId)).find(({ id }) => id === userId) ?? {}
  const link = links.length === 0 ? undefined : dice.pick(links)
  const token = link?.link.split('invitation=')[1] ?? 'none'
  const begun = async (tokens: Promise<{ refreshToken: string }>) =>
    void refreshTokens.push((await tokens).refreshToken)
  const steps: (() => unknown)[] = [
    () => accounts.update(accountId, { tier: dice.pick(['custom', 'professional'] as const) }),
    () => accounts.update(accountId, { requireOtherPerson: dice.chance(0.5) }, { by }),
    () => accounts.createWorkspace(accountId, { name: 'Another' }, { by }),
    () => accounts.deleteWorkspace(workspaceId, { by }),
    () =>
      accounts.createUser(accountId, {
        email: `user-${history.addresses++}@acme.example`,
        password: PASSWORD,
      }),
    () => accounts.setRole(accountId, userId, dice.pick(roleNames), { by }),
    () => accounts.deleteUser(userId, { by, keepKeys: dice.chance(0.5) }),
    () => accounts.setPassword(userId, PASSWORD, { by }),
    () => accounts.resetSecondFactor(userId),
    () => accounts.createKey({ accountId, name: 'of the host', scopes: ['tasks:read'] }),
    () => accounts.revokeKey(accountId, keyId),
    () => keys.create(caller, { name: 'own', scopes: keyScopes }, { by }),
    () =>
      keys.create(
        caller,
        { name: 'own', scopes: keyScopes, workspaceId, expiresAt: clock.now() + 1e9 },
        { by },
      ),
    () => keys.rotate(caller, keyId, { overlapMs: dice.below(1_000) * 1_000 }, { by }),
    () => keys.revoke(caller, keyId, { by }),
    () =>
      login.invitations.create(
        caller,
        { email: `user-${history.addresses++}@acme.example`, role: dice.pick(roleNames) },
        by,
      ),
    () =>
      login.invitations.create(caller, { email: `user-${dice.below(5)}@acme.example`, role: 'member' }, by),
    () => login.invitations.withdraw(caller, dice.pick([...state.invitations, 'inv_unknown']), by),
    () => begun(login.invitations.accept({ token, password: PASSWORD }, HERE)),
    () => begun(login.sessions.login({ email, password: PASSWORD, mfaCode }, HERE)),
    () => begun(login.sessions.login({ email, password: PASSWORD, mfaCode }, HERE)),
    () => login.sessions.login({ email, password: 'wrong password', mfaCode }, HERE),
    () => begun(login.sessions.refresh(dice.pick([...refreshTokens, 'none']), HERE)),
    () => login.sessions.logout({ refreshToken: dice.pick([...refreshTokens, 'none']) }, HERE),
    () => login.sessions.end(userId, { id: session }, by),
    () => login.sessions.end(userId, { exceptId: dice.chance(0.5) ? session : null }, by),
    async () => {
      factors.set(userId, (await login.mfa.begin(userId)).secret)
    },
    () => login.mfa.confirm({ userId, sessionId: session }, mfaCode, by),
    () => login.mfa.remove({ userId, sessionId: session }, mfaCode, by),
  ]
  try {
    await dice.pick(steps)()
  } catch (error) {
    if (!isTaskboardError(error)) throw error
  }
}

/**
 * Lets people, the host and strangers change who may do what on a storage, by two processes, and requires after each step that the audit explains
 * the state. `below` makes the chance of it. Returns the actions that were on record.
 */
export async function runAuditHistory(
  below: (limit: number) => number,
  storage: Storage,
): Promise<ReadonlySet<string>> {
  const history = await begin(diceOf(below), storage)
  const { accountId, clock, boards } = history
  const explained = emptyState()
  const seen = new Set<string>()
  const actions = new Set<string>()
  for (let at = 0; at <= STEPS; at++) {
    if (at > 0) await step(history)
    await clock.advance({ seconds: 31 })
    const { records } = await (boards[0] as Taskboard).audit.list(accountId, { limit: 1_000 })
    for (const record of records.toReversed()) {
      if (seen.has(record.id)) continue
      seen.add(record.id)
      actions.add(record.action)
      follow(explained, record)
    }
    assert.deepEqual(explained, await readState(history), `after step ${at}`)
  }
  await Promise.all(boards.map((board) => board.close()))
  return actions
}
