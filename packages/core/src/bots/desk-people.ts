import { type Principal, requireScope, type Scope } from '../access/index.js'
import type { CallContext } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { createRateLimiter } from '../limits/index.js'
import type { Member, Spoken } from './bot-desk.js'
import type { MessengerLink } from './bot-store.js'
import { type DeskDeps, strangers } from './desk-deps.js'

const COUNTED = { allowed: true, retryAfterMs: 0 }
/** Of one messenger account, linked or not. */
const MESSAGES = { limit: 30, windowMs: 60_000, maxKeys: 10_000 }

class TooManyMessages extends TaskboardError {}

/**
 * Whether an error says that a sender writes too much. Such a sender gets no response, which would double the traffic.
 * @example
 * ```ts
 * import { TaskboardError } from '@taskboard/core'
 * import { isFlood } from '@taskboard/core/transport'
 *
 * console.log(isFlood(new TaskboardError('RATE_LIMITED', 'the account makes too many requests'))) // false
 * ```
 */
export const isFlood = (error: unknown): boolean => error instanceof TooManyMessages

/** Who writes to a bot, and what an update may do once. */
export interface DeskPeople<Tx> {
  readonly bot: string
  /** Counts a message, once. @throws TaskboardError `RATE_LIMITED`. */
  readonly count: (spoken: Spoken) => void
  /** The person as of now. @throws TaskboardError (rejecting) `UNAUTHORIZED`, `RATE_LIMITED`. */
  readonly personOf: (
    spoken: Spoken,
  ) => Promise<{ readonly link: MessengerLink; readonly principal: Principal }>
  /** @throws TaskboardError (rejecting) `FORBIDDEN`. */
  readonly requireReach: (principal: Principal, workspaceId: string) => Promise<void>
  /** The person with the workspace of the conversation. @throws TaskboardError (rejecting) `FORBIDDEN`, `CONFLICT`, and as `personOf`. */
  readonly memberOf: (spoken: Spoken, scope: Scope) => Promise<Member>
  /** Runs work once for an update, in one commit with the note that it ran; null for an update that ran before. */
  readonly once: <T>(
    spoken: Spoken,
    principal: Principal | null,
    work: (own: CallContext<Tx>) => Promise<T>,
    tx?: Tx,
  ) => Promise<T | null>
}

export function createDeskPeople<Tx>(deps: DeskDeps<Tx>, bot: string): DeskPeople<Tx> {
  const { environment, store, people } = deps
  const spoke = createRateLimiter({ ...MESSAGES, clock: environment.clock })
  /** What was counted: one message asks several times who wrote it. */
  const counted = new WeakSet<Spoken>()

  async function workspaceIdOf(spoken: Spoken, principal: Principal): Promise<string> {
    const query = { bot, externalId: spoken.conversation.id }
    const [connected] = await store.listConversations(query, environment.call())
    if (connected !== undefined) return connected.workspaceId
    if (spoken.conversation.isDirect) return principal.defaultWorkspaceId
    throw new TaskboardError('CONFLICT', 'this conversation is not connected with a workspace')
  }

  const parts: DeskPeople<Tx> = {
    bot,
    count(spoken) {
      const isCounted = counted.has(spoken)
      counted.add(spoken)
      const { allowed, retryAfterMs } = isCounted ? COUNTED : spoke.take(spoken.person.id)
      if (!allowed) throw new TooManyMessages('RATE_LIMITED', 'too many messages', { retryAfterMs })
    },
    async personOf(spoken) {
      const { person } = spoken
      const isCounted = counted.has(spoken)
      parts.count(spoken)
      const query = { bot, externalId: person.id }
      const [link] = await store.listLinks(query, environment.call())
      if (link === undefined) throw strangers()
      const principal = await people.principal(link.userId)
      if (principal?.accountId !== link.accountId) throw strangers()
      const decision = isCounted ? null : await deps.takeTierLimit(principal)
      if (decision?.allowed !== false) return { link, principal }
      const rule = 'the account sends too many requests'
      throw new TooManyMessages('RATE_LIMITED', rule, { retryAfterMs: decision.retryAfterMs })
    },
    async requireReach(principal, workspaceId) {
      if (await deps.reach.includes(principal, workspaceId)) return
      throw new TaskboardError('FORBIDDEN', 'you have no access to the workspace of this conversation')
    },
    async memberOf(spoken, scope) {
      const { link, principal } = await parts.personOf(spoken)
      requireScope(principal, scope)
      const workspaceId = await workspaceIdOf(spoken, principal)
      await parts.requireReach(principal, workspaceId)
      const [workspace] = await deps.access.listWorkspaces({ workspaceId }, environment.call())
      return { principal, timeZone: link.timeZone, workspaceId, workspaceName: workspace?.name ?? '' }
    },
    once<T>(
      { updateId, position }: Spoken,
      principal: Principal | null,
      work: (own: CallContext<Tx>) => Promise<T>,
      tx?: Tx,
    ) {
      const requestId = `${bot}:${updateId}`
      const by =
        principal === null
          ? undefined
          : ({ kind: 'user', id: principal.id, name: principal.name, requestId } as const)
      return deps.inOneCommit<T | null>(environment.call({ by, tx }), async (own) => {
        if (!(await store.takeUpdate({ bot, updateId, position }, own))) return null
        return work(own)
      })
    },
  }
  return parts
}
