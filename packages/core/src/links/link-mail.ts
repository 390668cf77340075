import type { People } from '../access/index.js'
import type { AuditActor, Environment, Instant } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import { describeEvent, shownInput } from '../events/index.js'
import type { LimitStore } from '../limits/index.js'
import type { AskedReader, LinkedRequest } from './asked.js'
import { DEFAULT_LINK_MS } from './link-input.js'
import type { DirectChannel } from './direct-message.js'
import type { MakeLink } from './made-link.js'

const HOUR_MS = 3_600_000
/** Each call sends a link to a person, so the calls are limited. */
const MOST_TO_PERSON = 10
const MOST_OF_ACCOUNT = 100

/** Sends links to people. */
export interface LinkMail {
  /** See `ServedLinks.send`. */
  send(
    accountId: string,
    request: LinkedRequest,
    userId: string,
    by: AuditActor,
  ): Promise<{ readonly expiresAt: Instant }>
}

interface LinkMailDeps {
  readonly environment: Environment
  readonly people: Pick<People, 'find'>
  readonly limits: LimitStore
  readonly directs: readonly DirectChannel[]
}

export function createLinkMail(deps: LinkMailDeps, asked: AskedReader, make: MakeLink): LinkMail {
  const { environment, people, limits, directs } = deps

  /** @throws TaskboardError `RATE_LIMITED`. */
  async function requireFew(accountId: string, userId: string): Promise<void> {
    for (const [key, limit, whose] of [
      [`links-to:${accountId}:${userId}`, MOST_TO_PERSON, 'a person gets'],
      [`links-of:${accountId}`, MOST_OF_ACCOUNT, 'an account sends'],
    ] as const) {
      const { allowed, retryAfterMs } = await limits.take(
        { key, limit, windowMs: HOUR_MS },
        environment.call(),
      )
      if (!allowed)
        throw new TaskboardError('RATE_LIMITED', `${whose} at most ${limit} links per hour`, { retryAfterMs })
    }
  }

  return {
    async send(accountId, request, userId, by) {
      const person = await people.find(accountId, userId)
      if (person?.id !== userId) throw new TaskboardError('NOT_FOUND', 'no such person', { field: 'userId' })
      try {
        await asked.requireDecider(request, userId)
      } catch (error) {
        if (!isTaskboardError(error, 'FORBIDDEN')) throw error
        throw new TaskboardError(
          'INVALID_FIELD',
          `userId names a person who may not decide it: ${error.message}`,
          {
            field: 'userId',
          },
        )
      }
      if (directs.length === 0) {
        const rule =
          'notifications must have a way to one person, such as email() of @taskboard/notify, to send links'
        throw new TaskboardError('INVALID_CONFIG', rule, { field: 'notifications' })
      }
      await requireFew(accountId, userId)
      const { url, expiresAt } = await make(request, { userId, ttlMs: DEFAULT_LINK_MS }, { by })
      const { workspaceId } = request.task
      const message = { person, accountId, workspaceId, text: lineOf(request), url, expiresAt }
      let isFailed = false
      for (const direct of directs) {
        try {
          if (await direct.direct(message)) return { expiresAt }
        } catch (error) {
          isFailed = true
          environment.logger.warn({ err: error, channel: direct.name, userId }, 'a link could not be sent')
        }
      }
      if (isFailed) throw new TaskboardError('SERVICE_UNAVAILABLE', 'the link could not be sent; try again')
      throw new TaskboardError('CONFLICT', 'this person has no linked account and no verified address', {
        field: 'userId',
      })
    },
  }
}

/** What is asked, in the words of its notification. */
function lineOf({ task: { id: taskId, title }, approval, question }: LinkedRequest): string {
  if (approval !== null) {
    const { id: approvalId, action, summary, input, inputDigest, agentId, requestedAt, expiresAt } = approval
    const data = { approvalId, taskId, title, action, summary, ...shownInput(input, inputDigest) }
    return describeEvent({ type: 'approval.requested', data: { ...data, agentId, requestedAt, expiresAt } })
  }
  if (question === null) throw new Error('a question is gone')
  const { id: commentId, author, body, createdAt } = question
  const data = { taskId, title, commentId, kind: 'question', author, body, createdAt } as const
  return describeEvent({ type: 'task.commented', data })
}
