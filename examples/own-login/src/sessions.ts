import { randomUUID } from 'node:crypto'
import { scopes, type Principal } from '@taskboard/core'

/** A user of the host, with its account on the board. A real host stores hashes of passwords, in its database. */
export interface Member {
  readonly name: string
  readonly password: string
  readonly accountId: string
  readonly workspaceId: string
}

/** The host's login: the users by cookie. */
export interface Sessions {
  /** The `Set-Cookie` of a new session; null for a wrong name or password. */
  logIn(name: unknown, password: unknown): string | null
  logOut(cookie: string | undefined): void
  /** The user of a `Cookie` header; null without one. */
  find(cookie: string | undefined): Principal | null
}

const COOKIE = /(?:^|; )session=([\w-]+)/

export function createSessions(members: readonly Member[]): Sessions {
  const sessions = new Map<string, Member>()
  return {
    logIn(name, password) {
      const member = members.find((each) => each.name === name && each.password === password)
      if (member === undefined) return null
      const id = randomUUID()
      sessions.set(id, member)
      // Add `Secure` when the host is served over https.
      return `session=${id}; HttpOnly; SameSite=Lax; Path=/`
    },
    logOut: (cookie) => void sessions.delete(idOf(cookie)),
    find(cookie) {
      const member = sessions.get(idOf(cookie))
      return member === undefined ? null : toPrincipal(member)
    },
  }
}

function idOf(cookie = ''): string {
  return COOKIE.exec(cookie)?.[1] ?? ''
}

export function toPrincipal({ name, accountId, workspaceId }: Member): Principal {
  return {
    id: `member:${name}`,
    kind: 'user',
    name,
    accountId,
    tier: 'professional',
    scopes,
    workspaceIds: 'all',
    defaultWorkspaceId: workspaceId,
  }
}
