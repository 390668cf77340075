import { z } from 'zod'
import { TaskboardError } from '../errors/index.js'
import type { ActingAs, Actor } from '../events/index.js'

/**
 * What asked. `runtime`: an agent of `agents`, in the host's process. `credential`: a caller with a key or a login, such as a worker outside.
 * `host`: the host's own code, through `taskboard.board`.
 */
export const askerKinds = ['runtime', 'credential', 'host'] as const

/**
 * Who asks for an approval or asks a question. An approval is used only by a request of the same asker. All runtimes of a board are one
 * asker, and the host's code is another. The keys of one owner are one asker, and so are the sessions of one user.
 */
export interface Asker {
  readonly kind: (typeof askerKinds)[number]
  /** Of a session, its user; of a key, the user who made it. When no one is known to have made it, the key itself; null for the others. */
  readonly owner: string | null
  /** Whether a person asks by a login, not a program by a key. */
  readonly isSession: boolean
}

/** For what the host's code asks, and for a hold that it raised without a question. */
export const unknownAsker: Asker = { kind: 'host', owner: null, isSession: false }

/** Who asked, and whether another person has to respond in any case. */
export interface Asked {
  readonly asker: Asker
  readonly requireOtherPerson: boolean
}

/** What people do about an approval, and about a question. */
type Response = 'decide' | 'answer'

/** Whether a request, or a question, requires another person. */
export const otherPersonInput = z.boolean({ error: 'must be true or false' }).default(false)

/** The owner of an actor. A person owns themselves, and the user who made a key owns it. Null when no one is known, and for everything else. */
function ownerOf({ kind, id, owner }: ActingAs): string | null {
  if (kind === 'user') return id
  return kind === 'api_key' ? (owner ?? id) : null
}

/** The asker: a board that was given to a runtime belongs to it, whatever actor a call names. */
export function askerOf(board: Actor, by: ActingAs): Asker {
  if (board.kind === 'agent') return { kind: 'runtime', owner: null, isSession: false }
  const owner = ownerOf(by)
  if (owner === null) return unknownAsker
  return { kind: 'credential', owner, isSession: by.kind === 'user' }
}

/**
 * Rejects callers that may not respond to the question or request. No agent may. A key may not when a credential of its owner asked, nor a
 * session when a session of its user did. With `requireOtherPerson`, only another owner may; when no one is known to have asked, only a
 * person.
 * @throws TaskboardError `FORBIDDEN`.
 */
export function requireResponder(asked: Asked, by: ActingAs, verb: Response): void {
  if (by.kind === 'agent') throw refusedToAgents(verb)
  const rule = ruleAgainst(asked, by, verb)
  if (rule !== null) throw new TaskboardError('FORBIDDEN', rule)
}

export function refusedToAgents(verb: Response): TaskboardError {
  return new TaskboardError('FORBIDDEN', `an agent cannot ${verb} what agents ask`)
}

function ruleAgainst({ asker, requireOtherPerson }: Asked, by: ActingAs, verb: Response): string | null {
  const owner = ownerOf(by)
  const otherPerson = `another person than the one who asked has to ${verb}`
  const isOwn = owner !== null && owner === asker.owner
  if (requireOtherPerson) {
    if (asker.owner === null) return by.kind === 'user' ? null : `a person has to ${verb}, who is logged in`
    return owner === null || isOwn ? otherPerson : null
  }
  if (!isOwn) return null
  if (asker.isSession) return otherPerson
  return by.kind === 'user' ? null : `a key cannot ${verb} what a credential of its owner asked`
}
