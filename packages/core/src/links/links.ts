import type { People, Reach, SecretBox } from '../access/index.js'
import { credentialDigest } from '../access/index.js'
import type { ApprovalStore } from '../board/index.js'
import type { AuditActor, Environment, Instant, OnRecord } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'
import type { LoggedEvent } from '../events/index.js'
import type { LimitStore } from '../limits/index.js'
import { createAsked, type AskedDeps } from './asked.js'
import { createDecider, type Decider, type DeciderDeps } from './decider.js'
import type { DirectChannel } from './direct-message.js'
import { DEFAULT_LINK_MS, parseLinkInput, type LinkInput } from './link-input.js'
import type { LinkSettings } from './link-options.js'
import type { LinkStore } from './link-store.js'
import type { MadeLink, MakeLink } from './made-link.js'
import { createLinkMail } from './link-mail.js'
import { createLoginPasses, type LoginPasses } from './login-pass.js'

export type { LinkInput } from './link-input.js'
export type { MadeLink } from './made-link.js'
export type { LinkOrigin } from './decider.js'

/** Links that decide one request as one person, for the host's own code. */
export interface Links<Tx = unknown> {
  /**
   * Makes a link for a pending approval, or for the open question of a task. Send the address to the person alone: anyone who has it decides as
   * the person.
   * @throws TaskboardError `MISSING_FIELD`, `INVALID_FIELD`; `INVALID_CONFIG` without `publicUrl` (`publicUrl`), or when the board cannot look
   *   up people (`people`); `NOT_FOUND`, `TASK_NOT_FOUND`; `CONFLICT` when nothing waits for a decision; `FORBIDDEN` for a person who may not
   *   decide it; `SERVICE_UNAVAILABLE`.
   */
  create(input: LinkInput, options?: OnRecord<Tx>): Promise<MadeLink>
}

/** What a caller asks to have sent. */
export interface LinkRequest {
  readonly about: { readonly approvalId: string } | { readonly taskId: string }
  readonly userId: string
}

/** What transports need of links. */
export interface ServedLinks extends Decider {
  readonly passes: LoginPasses
  readonly settings: LinkSettings
  /** Whether there can be any: with a `publicUrl`, and when the board can look up people. */
  readonly areServed: boolean
  /**
   * Sends a link to a person's own linked account or verified address, and returns when it expires.
   * @throws TaskboardError as `create`, but `INVALID_FIELD` (`userId`) for a person who may not decide it; `NOT_FOUND` (`userId`); `CONFLICT` when nothing
   *   reaches the person; `RATE_LIMITED` after ten to a person, or a hundred of an account, within an hour.
   */
  send(reach: Reach, request: LinkRequest, by: AuditActor): Promise<{ readonly expiresAt: Instant }>
}

/** The links of a board. */
export interface LinkServices<Tx = unknown> {
  readonly host: Links<Tx>
  readonly served: ServedLinks
  /**
   * The address that decides an event's request, as the person with a verified email address. Null for other events, and for addresses
   * of people who may not decide it.
   */
  forRecipient(event: LoggedEvent, accountId: string, email: string): Promise<string | null>
}

export interface LinksDeps extends AskedDeps, DeciderDeps {
  readonly environment: Environment
  readonly approvals: Pick<ApprovalStore, 'decideApproval' | 'listApprovals'>
  readonly people: People
  readonly store: LinkStore
  readonly limits: LimitStore
  readonly settings: LinkSettings
  readonly secrets: SecretBox
  /** The page of a token; null without `publicUrl`. */
  readonly pageOf: ((token: string) => string) | null
  readonly directs: readonly DirectChannel[]
}

const TOKEN_BYTES = 16
const WHAT = 'links that decide'

export function createLinks<Tx>(deps: LinksDeps): LinkServices<Tx> {
  const { environment, people, settings, pageOf } = deps
  const asked = createAsked(deps)

  function requirePage(): (token: string) => string {
    if (pageOf === null)
      throw new TaskboardError('INVALID_CONFIG', `publicUrl is required for ${WHAT}`, { field: 'publicUrl' })
    people.requireKnown(WHAT)
    return pageOf
  }

  const make: MakeLink = async (request, { userId, ttlMs }, options) => {
    const linkTo = requirePage()
    await asked.requireDecider(request, userId)
    const token = Buffer.from(environment.random.bytes(TOKEN_BYTES)).toString('base64url')
    const link = { ...asked.boundTo(request), userId, tokenHash: credentialDigest(token), ttlMs }
    const stored = await deps.store.insertLink({ link }, environment.call(options))
    return { id: stored.id, url: linkTo(token), expiresAt: stored.expiresAt }
  }

  const mail = createLinkMail(deps, asked, make)
  return {
    host: {
      async create(input, options) {
        const { workspaceId, about, userId, ttlMs } = parseLinkInput(input)
        requirePage()
        return make(await asked.require(workspaceId, about, options), { userId, ttlMs }, options)
      },
    },
    served: {
      settings,
      passes: createLoginPasses(deps.secrets, environment.clock),
      areServed: pageOf !== null && isKnown(people),
      ...createDecider(deps, asked),
      async send(reach, { about, userId }, by) {
        return mail.send(reach.accountId, await asked.require(reach, about), userId, by)
      },
    },
    async forRecipient(event, accountId, email) {
      const about = subjectOf(event)
      if (about === null || pageOf === null || !isKnown(people)) return null
      const person = await people.find(accountId, email)
      if (person?.email?.toLowerCase() !== email.toLowerCase()) return null
      try {
        const request = await asked.require(event.workspaceId, about)
        const by = { kind: 'system' } as const
        return (await make(request, { userId: person.id, ttlMs: DEFAULT_LINK_MS }, { by })).url
      } catch (error) {
        // Decided by now, or by others: the page of the task says so.
        if (MAY_NOT.some((code) => isTaskboardError(error, code))) return null
        throw error
      }
    },
  }
}

const MAY_NOT = ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'TASK_NOT_FOUND'] as const

function isKnown(people: Pick<People, 'requireKnown'>): boolean {
  try {
    people.requireKnown(WHAT)
    return true
  } catch {
    return false
  }
}

/** What an event asks people for; null for other events. */
function subjectOf({ type, data }: LoggedEvent): LinkRequest['about'] | null {
  if (type === 'approval.requested') return { approvalId: data.approvalId }
  return type === 'task.commented' && data.kind === 'question' ? { taskId: data.taskId } : null
}
