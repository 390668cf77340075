import assert from 'node:assert/strict'
import { scopes, type Scope, type Taskboard } from '@taskboard/core'
import { PASSWORD } from './login-options.js'
import { logIn, makeUser, tryLogin } from './login-session.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

const MEMBERS = '/v2/account/members'
const INVITATIONS = '/v2/account/invitations'
const ACCEPT = '/v2/auth/invitations/accept'
const DAY_MS = 86_400_000
const EMAIL = 'grace@example.com'

interface WireInvitation {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly link: string | null
}

interface WireMember {
  readonly id: string
  readonly email: string
  readonly role: string | null
  readonly scopes: readonly Scope[]
}

async function owner(session: V2Session, email = 'ada@example.com', only?: readonly Scope[]) {
  const user = await makeUser(session, email, only)
  return { user, as: (await logIn(session, { email })).access_token }
}

function tryInvite({ send }: V2Session, as: string, body: object = {}) {
  return send('POST', MEMBERS, { as, body: { email: EMAIL, role: 'member', show_link: true, ...body } })
}

async function invite(session: V2Session, as: string, body?: object): Promise<WireInvitation> {
  return assertAnswer(await tryInvite(session, as, body), 201)['invitation'] as WireInvitation
}

const tokenOf = ({ link }: { readonly link: string | null }): string => link?.split('#invitation=')[1] ?? ''

function accept({ send }: V2Session, token: string, password = PASSWORD) {
  return send('POST', ACCEPT, { as: null, body: { token, password } })
}

async function openOf({ send }: V2Session, as: string): Promise<readonly WireInvitation[]> {
  return assertAnswer(await send('GET', INVITATIONS, { as }))['invitations'] as WireInvitation[]
}

async function memberOf({ send }: V2Session, as: string, email = EMAIL): Promise<WireMember | undefined> {
  const members = assertAnswer(await send('GET', MEMBERS, { as }))['members'] as WireMember[]
  return members.find((each) => each.email === email)
}

/** What hosts were asked to send. */
const sent: { readonly email: string; readonly link: string }[] = []

/** How an account gets its users, and their roles. */
export const invitationCases: readonly V2Check[] = [
  {
    id: 'invitations.life',
    name: 'an invitation makes a user once, with its role and the password that the invited chose',
    async check(session) {
      const { send, clock } = session
      const { user, as } = await owner(session)
      const { link, ...invitation } = await invite(session, as, { email: ' Grace@Example.com' })
      const made = { id: invitation.id, email: EMAIL, role: 'member', created_by: user.id }
      const times = {
        created_at: new Date(clock.now()).toISOString(),
        expires_at: new Date(clock.now() + 7 * DAY_MS).toISOString(),
      }
      assert.deepEqual(invitation, { ...made, ...times })
      assert.deepEqual(await openOf(session, as), [invitation])
      const token = tokenOf({ link })
      const shown = assertAnswer(await send('POST', '/v2/auth/invitations', { as: null, body: { token } }))
      const { account_name: account, ...rest } = shown
      assert.deepEqual(rest, { email: EMAIL, role: 'member', expires_at: times.expires_at })
      assert.equal(account, (assertAnswer(await send('GET', '/v2/account', { as })) as { name: string }).name)
      assertError(await accept(session, token, 'too short'), 400, 'INVALID_REQUEST', 'password')
      assertError(await accept(session, token, 'passwordpassword'), 400, 'INVALID_REQUEST', 'password')
      const tokens = assertAnswer(await accept(session, token))
      assertAnswer(await send('GET', '/v2/account', { as: String(tokens['access_token']) }))
      await logIn(session, { email: EMAIL })
      assert.equal((await memberOf(session, as))?.role, 'member')
      assert.deepEqual(await openOf(session, as), [])
      assertError(await accept(session, token), 401, 'AUTHENTICATION_FAILED')
    },
  },
  {
    id: 'invitations.once',
    name: 'of several who accept an invitation at once one becomes the user',
    async check(session) {
      const { as } = await owner(session)
      const token = tokenOf(await invite(session, as))
      const answers = await Promise.all([1, 2, 3, 4].map(() => accept(session, token)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.ok(answers.every(({ status }) => [200, 401].includes(status)))
    },
  },
  {
    id: 'invitations.alike',
    name: 'the answer does not say whether an address has an account; who accepts learns it, and the invitation is gone',
    async check(session) {
      const { as } = await owner(session)
      await makeUser(session, EMAIL)
      const known = await invite(session, as)
      const fresh = await invite(session, as, { email: 'new@example.com' })
      const form = (each: WireInvitation) => Object.keys(each)
      assert.deepEqual(form(known), form(fresh))
      assertError(await accept(session, tokenOf(known)), 409, 'CONFLICT', 'email')
      assertError(await accept(session, tokenOf(known)), 401, 'AUTHENTICATION_FAILED')
      assert.deepEqual(
        (await openOf(session, as)).map(({ id }) => id),
        [fresh.id],
      )
      assert.equal((await tryLogin(session, { email: EMAIL, password: 'wrong' })).status, 401)
    },
  },
  {
    id: 'invitations.end',
    name: 'an invitation ends after seven days, when it is withdrawn, and when the address is invited again',
    async check(session) {
      const { send, clock, stranger } = session
      const { as } = await owner(session)
      const first = await invite(session, as)
      const second = await invite(session, as, { role: 'viewer' })
      assert.deepEqual(
        (await openOf(session, as)).map(({ id }) => id),
        [second.id],
      )
      assertError(await accept(session, tokenOf(first)), 401, 'AUTHENTICATION_FAILED')
      const path = `${INVITATIONS}/${second.id}`
      assertError(await send('DELETE', path, { as: stranger.token }), 404, 'RESOURCE_NOT_FOUND')
      assertAnswer(await send('DELETE', path, { as }), 204)
      assertError(await send('DELETE', path, { as }), 404, 'RESOURCE_NOT_FOUND')
      assertError(await accept(session, tokenOf(second)), 401, 'AUTHENTICATION_FAILED')
      const third = await invite(session, as)
      await clock.advance(7 * DAY_MS)
      assertError(await accept(session, tokenOf(third)), 401, 'AUTHENTICATION_FAILED')
      assertError(await accept(session, 'nonsense'), 401, 'AUTHENTICATION_FAILED')
    },
  },
  {
    id: 'invitations.maker',
    name: 'an invitation goes with its maker, and with the right to invite, and the record of that names it',
    async check(session) {
      const { send } = session
      const { as } = await owner(session)
      const { user: eve, as: theirs } = await owner(session, 'eve@example.com')
      const lost = async () => {
        const records = assertAnswer(await send('GET', '/v2/account/audit?limit=1'))['records']
        return (records as { details: Record<string, unknown> }[])[0]?.details['invitations']
      }
      const first = await invite(session, theirs, { role: 'owner' })
      const viewer = await invite(session, theirs, { email: 'viewer@example.com', role: 'viewer' })
      const change = (role: string) =>
        send('PATCH', `${MEMBERS}/${eve.id}`, { as, body: { role } }).then(assertAnswer)
      await change('manager')
      assert.deepEqual(((await lost()) as string[]).toSorted(), [first.id, viewer.id].toSorted())
      assert.deepEqual(await openOf(session, as), [])
      for (const each of [first, viewer])
        assertError(await accept(session, tokenOf(each)), 401, 'AUTHENTICATION_FAILED')
      await change('owner')
      assertError(await accept(session, tokenOf(first)), 401, 'AUTHENTICATION_FAILED')
      const second = await invite(session, theirs, { role: 'owner' })
      assertAnswer(await send('DELETE', `${MEMBERS}/${eve.id}`, { as }), 204)
      assert.deepEqual(await lost(), [second.id])
      assert.deepEqual(await openOf(session, as), [])
      assertError(await accept(session, tokenOf(second)), 401, 'AUTHENTICATION_FAILED')
      assert.equal(await memberOf(session, as), undefined)
    },
  },
  {
    id: 'invitations.most',
    name: 'an account has at most 20 open invitations, and makes at most 50 a day',
    async check(session) {
      const { send, clock } = session
      const { as } = await owner(session)
      const names = Array.from({ length: 20 }, (_, index) => `${index}@example.com`)
      for (const email of names) await invite(session, as, { email })
      assertError(await tryInvite(session, as), 402, 'QUOTA_EXCEEDED')
      for (const email of names) await invite(session, as, { email })
      const [one] = await openOf(session, as)
      assertAnswer(await send('DELETE', `${INVITATIONS}/${one?.id}`, { as }), 204)
      for (let count = 41; count < 50; count++) await invite(session, as)
      assertError(await tryInvite(session, as), 429, 'RATE_LIMIT_EXCEEDED')
      await clock.advance(DAY_MS)
      const { access_token: later } = await logIn(session)
      await invite(session, later)
    },
  },
  {
    id: 'invitations.sent',
    name: 'the host sends the link, and the response has none; what cannot be sent is withdrawn',
    options: { members: { onInvitation: (message) => void sent.push(message) } },
    async check(session) {
      const { as } = await owner(session)
      const email = `sent-${session.accountId}@example.com`
      const { link } = await invite(session, as, { email, show_link: false })
      assert.equal(link, null)
      const message = sent.find((each) => each.email === email.toLowerCase())
      assert.ok(message !== undefined)
      assertAnswer(await accept(session, tokenOf(message)))
    },
  },
  {
    id: 'invitations.not-sent',
    name: 'an invitation that the host could not send is 503, and is not open',
    options: {
      members: {
        onInvitation: () => {
          throw new Error('no mail today')
        },
      },
    },
    async check(session) {
      const { as } = await owner(session)
      assertError(await tryInvite(session, as, { show_link: false }), 503, 'SERVICE_UNAVAILABLE')
      assert.deepEqual(await openOf(session, as), [])
      await invite(session, as)
    },
  },
  {
    id: 'invitations.bounds',
    name: 'nobody invites with scopes that they lack, with a key, without a role or, on such a host, with a password',
    async check(session) {
      const { send } = session
      const few: readonly Scope[] = ['account:read', 'account:write', 'tasks:read']
      const { as } = await owner(session, 'ada@example.com', few)
      assertError(await tryInvite(session, as), 403, 'AUTHORIZATION_FAILED')
      const { as: all } = await owner(session, 'eve@example.com')
      assertError(await tryInvite(session, session.key), 403, 'AUTHORIZATION_FAILED')
      assertError(await tryInvite(session, all, { role: undefined }), 400, 'INVALID_REQUEST', 'role')
      assertError(await tryInvite(session, all, { role: 'king' }), 400, 'INVALID_REQUEST', 'role')
      assertError(await tryInvite(session, all, { email: 'none' }), 400, 'INVALID_REQUEST', 'email')
      assertError(await tryInvite(session, all, { show_link: false }), 400, 'INVALID_REQUEST', 'show_link')
      const direct = { email: EMAIL, password: PASSWORD }
      assertError(await send('POST', MEMBERS, { as: all, body: direct }), 400, 'INVALID_REQUEST', 'password')
      const { key } = await session.makeKey(['account:read'], session.workspaceId)
      assertError(await send('GET', INVITATIONS, { as: key }), 403, 'AUTHORIZATION_FAILED')
    },
  },
  {
    id: 'roles.change',
    name: 'a role is changed by somebody who has all of it, takes effect at once, and an account keeps an owner',
    async check(session) {
      const { send, taskboard } = session
      const { account, workspace: _ } = await taskboard.accounts.create({ name: 'Roles', tier: 'custom' })
      const userOf = (email: string) =>
        taskboard.accounts.createUser(account.id, { email, password: PASSWORD })
      const [ada, eve] = [await userOf('ada@roles.example'), await userOf('eve@roles.example')]
      const as = (await logIn(session, { email: ada.email })).access_token
      const theirs = (await logIn(session, { email: eve.email })).access_token
      const change = (id: string, role: string, token = as) =>
        send('PATCH', `${MEMBERS}/${id}`, { as: token, body: { role } })
      const changed = assertAnswer(await change(eve.id, 'viewer')) as unknown as WireMember
      assert.equal(changed.role, 'viewer')
      assert.ok(changed.scopes.every((scope) => scope.endsWith(':read')))
      assertError(
        await send('POST', '/v2/tasks', { as: theirs, body: { title: 't' } }),
        403,
        'AUTHORIZATION_FAILED',
      )
      assertError(await change(ada.id, 'viewer', theirs), 403, 'AUTHORIZATION_FAILED')
      assertError(await change(ada.id, 'manager'), 409, 'CONFLICT')
      assertAnswer(await change(eve.id, 'owner'))
      assertAnswer(await change(ada.id, 'manager'))
      assert.deepEqual((await memberOf(session, as, ada.email))?.role, 'manager')
      assertError(await change(eve.id, 'member'), 403, 'AUTHORIZATION_FAILED')
      assertError(await change('user_none', 'member', theirs), 404, 'RESOURCE_NOT_FOUND')
      await assertAllRoles(taskboard, account.id, ada.id)
    },
  },
  {
    id: 'roles.gain',
    name: 'nobody takes a role from somebody who has more, and two owners who demote each other leave one',
    async check(session) {
      const { send, taskboard } = session
      const { account } = await taskboard.accounts.create({ name: 'Two', tier: 'custom' })
      const few: Scope[] = ['account:read', 'account:write', 'tasks:read']
      const make = (email: string, only?: Scope[]) =>
        taskboard.accounts.createUser(account.id, { email, password: PASSWORD, scopes: only })
      const [one, two] = [await make('one@two.example'), await make('two@two.example')]
      const limited = await make('few@two.example', few)
      const tokenFor = async (email: string) => (await logIn(session, { email })).access_token
      const change = (id: string, role: string, as: string) =>
        send('PATCH', `${MEMBERS}/${id}`, { as, body: { role } })
      const theirs = await tokenFor(limited.email)
      assertError(await change(one.id, 'viewer', theirs), 403, 'AUTHORIZATION_FAILED')
      assertError(await change(limited.id, 'owner', theirs), 403, 'AUTHORIZATION_FAILED')
      const [first, second] = [await tokenFor(one.email), await tokenFor(two.email)]
      assertAnswer(await change(limited.id, 'viewer', first))
      const answers = await Promise.all([change(two.id, 'viewer', first), change(one.id, 'viewer', second)])
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      const users = await taskboard.accounts.listUsers(account.id)
      assert.equal(users.filter((each) => each.scopes.includes('account:write')).length, 1)
    },
  },
]

async function assertAllRoles({ accounts }: Taskboard, accountId: string, userId: string): Promise<void> {
  const manager = await accounts.setRole(accountId, userId, 'manager')
  assert.equal(manager.scopes.length, scopes.length - 2)
  await assert.rejects(accounts.setRole(accountId, userId, 'king' as never), {
    code: 'INVALID_FIELD',
    field: 'role',
  })
}
