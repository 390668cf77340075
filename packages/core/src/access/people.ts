import type { Environment } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import { normalizeEmail } from './access-input.js'
import type { AccessStore } from './access-store.js'
import { checkedPrincipal, type Principal, type Scope } from './principal.js'
import type { SessionStore } from './session-store.js'
import type { WorkspaceReach } from './workspace-reach.js'

/** Someone of an account. */
export interface Person {
  /** The `id` of the person's principal. */
  readonly id: string
  /**
   * An email address that you know to be this person's alone: links that decide as this person are mailed there. Null or absent when none is
   * known.
   */
  readonly email?: string | null | undefined
}

/** Someone who was found. */
export interface FoundPerson {
  readonly id: string
  /** The address that is known to be this person's; null when none is. */
  readonly email: string | null
}

/** The responses of a host with its own login about people who don't call. */
export interface PeopleOptions {
  /**
   * The current principal of this person: as `authenticate` returns it when the person calls, or null for no one. Called whenever the
   * person decides or writes without their own request, and never cached. A person who left or lost a scope therefore decides nothing more.
   * A principal with another `id`, or of a key, counts as no one. An error that it throws rejects the decision with `SERVICE_UNAVAILABLE`.
   */
  principal(id: string): Principal | null | Promise<Principal | null>
  /**
   * The person of an account with this id or email address; null for no one. Without it, people are known by their ids, and no mail is
   * sent to them.
   */
  readonly find?: ((accountId: string, text: string) => Person | null | Promise<Person | null>) | undefined
}

/** The people of the board, when they don't call: by Taskboard's login, or by the host's `people`. The result isn't cached. */
export interface People {
  /** @throws TaskboardError `INVALID_CONFIG` (`people`), naming `what` needs it, when no one says who people are. */
  requireKnown(what: string): void
  /**
   * Who a person is now; null for no one.
   * @throws TaskboardError (rejecting) `INVALID_CONFIG`, as `requireKnown` and for an invalid principal of the host; `SERVICE_UNAVAILABLE`.
   */
  principal(id: string): Promise<Principal | null>
  /**
   * The current principal of a person, if they have this scope in a workspace.
   * @throws TaskboardError (rejecting) as `principal`; `FORBIDDEN` for no one, and for who doesn't reach the workspace or lacks the scope.
   */
  requireMay(id: string, where: { readonly workspaceId: string; readonly scope: Scope }): Promise<Principal>
  /**
   * The person of an account with this id or email address; null for no one.
   * @throws TaskboardError (rejecting) as `principal`.
   */
  find(accountId: string, text: string): Promise<FoundPerson | null>
}

interface PeopleDeps {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'findPrincipal'>
  readonly signIns: Pick<SessionStore, 'findSignIn'>
  readonly reach: Pick<WorkspaceReach, 'includes'>
  /** Whether the board has its own login. */
  readonly hasLogin: boolean
  readonly ofHost: PeopleOptions | undefined
}

export function createPeople(deps: PeopleDeps): People {
  const { reach, hasLogin, ofHost } = deps
  const source = ofHost === undefined ? ofLogin(deps) : checkedHost(ofHost)

  function requireKnown(what: string): void {
    if (hasLogin || ofHost !== undefined) return
    const rule = `people is required for ${what}: without tokens, only the host knows who someone is who does not call`
    throw new TaskboardError('INVALID_CONFIG', rule, { field: 'people' })
  }

  async function principal(id: string): Promise<Principal | null> {
    requireKnown('what people do without a request')
    return source.principal(id)
  }

  return {
    requireKnown,
    principal,
    async requireMay(id, { workspaceId, scope }) {
      const person = await principal(id)
      if (person === null || !(await reach.includes(person, workspaceId)))
        throw new TaskboardError('FORBIDDEN', 'this person has no access here any more')
      if (!person.scopes.includes(scope))
        throw new TaskboardError('FORBIDDEN', `this person lacks the scope ${scope}`)
      return person
    },
    async find(accountId, text) {
      requireKnown('finding people')
      return source.find(accountId, text)
    },
  }
}

type Source = Pick<People, 'principal' | 'find'>

/** The users of Taskboard's login. */
function ofLogin({ environment, store, signIns }: PeopleDeps): Source {
  return {
    principal: async (userId) =>
      (await store.findPrincipal({ userId }, environment.call()))?.principal ?? null,
    async find(accountId, text) {
      if (!text.isWellFormed() || text.includes('\0')) return null
      const named = text.includes('@') ? { email: normalizeEmail(text) } : { userId: text }
      const found = await signIns.findSignIn(named, environment.call())
      if (found?.accountId !== accountId) return null
      return { id: found.userId, email: found.isEmailVerified ? found.email : null }
    },
  }
}

/** What the host says, which may be plain JavaScript. */
function checkedHost(people: PeopleOptions): Source {
  return {
    async principal(id) {
      const said = await asked(() => people.principal(id))
      const principal = checkedPrincipal(said, 'people.principal')
      return principal?.id === id && principal.kind === 'user' ? principal : null
    },
    async find(accountId, text) {
      if (people.find === undefined) {
        const principal = await this.principal(text)
        return principal?.accountId === accountId ? { id: text, email: null } : null
      }
      const person = (await asked(() => people.find?.(accountId, text))) ?? null
      if (person === null) return null
      const { id, email = null } = person as { readonly id: unknown; readonly email?: unknown }
      if (typeof id === 'string' && id !== '' && (email === null || typeof email === 'string'))
        return { id, email }
      throw new TaskboardError('INVALID_CONFIG', 'people.find must return null, or { id, email }', {
        field: 'people.find',
      })
    },
  }
}

async function asked<T>(ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    if (isTaskboardError(cause)) throw cause
    throw new TaskboardError('SERVICE_UNAVAILABLE', 'people cannot be checked at the moment; try again', {
      cause,
    })
  }
}
