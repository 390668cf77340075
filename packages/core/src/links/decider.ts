import {
  addressBucket,
  createLookUps,
  credentialDigest,
  failedCredentials,
  type Principal,
} from '../access/index.js'
import {
  actorOf,
  type ApprovalStore,
  commentInput,
  type CommentStore,
  parseApprovalRequest,
  verdictInput,
} from '../board/index.js'
import type { Environment } from '../environment/index.js'
import { isTaskboardError, parseInput, TaskboardError } from '../errors/index.js'
import type { ApprovalDecision } from '../events/index.js'
import { createRateLimiter } from '../limits/index.js'
import { requestOf, type AskedReader, type LinkedRequest } from './asked.js'
import { digestOfQuestion, type LinkState, type LinkView, type StoredLink } from './link.js'
import type { LinkStore } from './link-store.js'

/** Where a request with a link comes from. */
export interface LinkOrigin {
  readonly clientAddress: string
  readonly requestId: string | null
}

/** What a person says. */
export type Choice =
  | { readonly decision: ApprovalDecision; readonly comment: string | null }
  | { readonly answer: string }

/** Opens links, and decides with them. */
export interface Decider {
  /**
   * What a link shows. It changes nothing. Null for a token that is unknown.
   * @throws TaskboardError `RATE_LIMITED` for an address that has shown too many wrong tokens; `SERVICE_UNAVAILABLE`.
   */
  open(token: string, origin: LinkOrigin): Promise<LinkView | null>
  /**
   * Decides as the person, once, and returns what the link shows then. Of several calls one decides. When its state is still open, the
   * `notice` says why no decision was made.
   * @throws TaskboardError as `open`.
   */
  decide(token: string, choice: Choice, origin: LinkOrigin): Promise<LinkView | null>
}

export interface DeciderDeps {
  readonly environment: Environment
  readonly store: Pick<LinkStore, 'findLink'>
  readonly approvals: Pick<ApprovalStore, 'decideApproval'>
  readonly comments: Pick<CommentStore, 'insertComment'>
  /** Failed tokens in any rolling minute for each client address. */
  readonly failuresPerMinute?: number | undefined
}

/** 128 bits. */
const TOKEN = /^[A-Za-z0-9_-]{22}$/

/** A link with its request, and the person who decides with it; null when they no longer may. */
interface Opened {
  readonly link: StoredLink
  readonly request: LinkedRequest | null
  readonly person: Principal | null
  readonly view: LinkView
}

export function createDecider(deps: DeciderDeps, asked: AskedReader): Decider {
  const { environment, store } = deps
  const findLink = createLinkFinder(deps)

  async function open(token: string, { clientAddress }: LinkOrigin): Promise<Opened | null> {
    const found = await findLink(clientAddress, () =>
      TOKEN.test(token)
        ? store.findLink({ tokenHash: credentialDigest(token) }, environment.call())
        : Promise.resolve(null),
    )
    if (found === null) return null
    const { link, expiresInMs } = found
    const request = await asked.find(link.workspaceId, requestOf(link.taskId, link.about))
    const [person, refusal] = request === null ? [null, null] : await deciderOf(asked, request, link.userId)
    const state = expiresInMs <= 0 ? 'expired' : refusal === null ? stateOf(link, request) : 'refused'
    const isShown = request !== null && person !== null && (state === 'open' || state === 'decided')
    const view: LinkView = {
      id: link.id,
      userId: link.userId,
      state,
      notice: state === 'refused' ? refusal : null,
      kind: link.about.kind,
      expiresAt: Math.min(link.expiresAt, request?.approval?.expiresAt ?? Infinity),
      request: isShown
        ? {
            taskId: request.task.id,
            taskTitle: request.task.title,
            askedBy: await asked.askerOf(request),
            person: person.name ?? person.id,
            approval: request.approval,
            question: request.question,
            answer: request.answer,
          }
        : null,
    }
    return { link, request, person, view }
  }

  return {
    open: async (token, origin) => (await open(token, origin))?.view ?? null,
    async decide(token, choice, origin) {
      const opened = await open(token, origin)
      if (opened === null || opened.view.state !== 'open' || opened.person === null)
        return opened?.view ?? null
      const notice = await write(deps, opened.link, opened.person, choice, origin)
      const view = (await open(token, origin))?.view ?? null
      return view === null || view.notice !== null || view.state !== 'open' ? view : { ...view, notice }
    },
  }
}

type FoundLink = Awaited<ReturnType<LinkStore['findLink']>>

/** Looks up links; an address that has shown too many wrong tokens has to wait. */
function createLinkFinder({ environment: { clock }, failuresPerMinute }: DeciderDeps) {
  const wrong = createRateLimiter(failedCredentials(clock, { failuresPerMinute }))
  const askFor = createLookUps(wrong)
  return async (clientAddress: string, lookUp: () => Promise<FoundLink>): Promise<FoundLink> => {
    const client = addressBucket(clientAddress)
    const end = await askFor(client)
    if (end === null) {
      const { retryAfterMs } = wrong.take(client)
      throw new TaskboardError('RATE_LIMITED', 'too many wrong links from this address', { retryAfterMs })
    }
    try {
      const found = await lookUp()
      if (found === null) wrong.take(client)
      return found
    } finally {
      end()
    }
  }
}

/** The person who decides, or the reason that they may not. */
async function deciderOf(
  asked: AskedReader,
  request: LinkedRequest,
  userId: string,
): Promise<readonly [Principal | null, string | null]> {
  try {
    return [await asked.requireDecider(request, userId), null]
  } catch (error) {
    if (isTaskboardError(error, 'FORBIDDEN')) return [null, error.message]
    throw error
  }
}

function stateOf(link: StoredLink, request: LinkedRequest | null): LinkState {
  if (request === null) return 'withdrawn'
  const { approval, question, answer, task } = request
  if (approval === null) {
    if (question?.id !== link.about.id || digestOfQuestion(question) !== link.digest) return 'changed'
    if (answer !== null) return 'decided'
    return task.hold?.reason === 'needs_input' ? 'open' : 'withdrawn'
  }
  if (approval.inputDigest !== link.digest || digestNow(approval) !== link.digest) return 'changed'
  if (approval.decidedBy !== null) return 'decided'
  if (approval.status === 'expired') return 'expired'
  return task.hold?.reason === 'approval' ? 'open' : 'withdrawn'
}

/** Of the input that is shown. */
const digestNow = ({ action, summary, input }: NonNullable<LinkedRequest['approval']>): string =>
  parseApprovalRequest({ action, summary, input }).inputDigest

/** Decides. Returns why no decision was made; null when one was. */
async function write(
  { environment, approvals, comments }: DeciderDeps,
  { workspaceId, taskId, about: { kind, id }, digest }: StoredLink,
  person: Principal,
  choice: Choice,
  origin: LinkOrigin,
): Promise<string | null> {
  const actor = actorOf(person)
  const by = { kind: 'user', id: person.id, name: person.name, ...origin } as const
  try {
    if (kind === 'approval') {
      if (!('decision' in choice)) return 'Approve or reject it.'
      const verdict = {
        ...parseInput(verdictInput, choice),
        comment: choice.comment,
        digest,
        onlyOnHold: true,
      }
      const decision = { workspaceId, approvalId: id, verdict, decidedBy: actor }
      await approvals.decideApproval(decision, environment.call({ by }))
    } else {
      if (!('answer' in choice)) return 'Write an answer.'
      const { body } = parseInput(commentInput, { body: choice.answer })
      const draft = { kind: 'answer', body, author: actor, questionId: id } as const
      const insertion = { target: { workspaceId, taskId }, draft, idempotency: null }
      await comments.insertComment(insertion, environment.call({ by }))
    }
    return null
  } catch (error) {
    if (ITS_FAULT.some((code) => isTaskboardError(error, code))) return (error as TaskboardError).message
    throw error
  }
}

/** The codes that reject a decision, apart from a fault of the board. */
const ITS_FAULT = [
  'CONFLICT',
  'FORBIDDEN',
  'NOT_FOUND',
  'TASK_NOT_FOUND',
  'INVALID_FIELD',
  'MISSING_FIELD',
] as const
