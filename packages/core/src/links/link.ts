import { credentialDigest } from '../access/index.js'
import type { Approval, Comment } from '../board/index.js'
import type { Instant } from '../environment/index.js'

/** The subject of a link: an approval, or a question by the id of its comment. */
export interface LinkSubject {
  readonly kind: 'approval' | 'question'
  readonly id: string
}

/** A link as it is stored, without what opens it. */
export interface StoredLink {
  /** `lnk_…` */
  readonly id: string
  readonly accountId: string
  readonly workspaceId: string
  readonly taskId: string
  readonly about: LinkSubject
  /** The digest of an approval's input, or of a question's text. */
  readonly digest: string
  /** The person who decides with it. */
  readonly userId: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
}

/** How long a link is kept after it has expired, so that it can say so. */
export const linkKeptMs = 7 * 86_400_000

/** The digest that binds a link to the text of a question. */
export function digestOfQuestion({ body }: Pick<Comment, 'body'>): string {
  return credentialDigest(body)
}

/**
 * The state of a link's request. `expired`: the link or the request has expired. `refused`: the person may no longer decide it. `withdrawn`:
 * no task waits for it. `changed`: the request has changed since.
 */
export type LinkState = 'open' | 'decided' | 'expired' | 'refused' | 'withdrawn' | 'changed'

/** The view of a link for anyone who opens it. */
export interface LinkView {
  readonly id: string
  readonly userId: string
  readonly state: LinkState
  /** Why the person may not decide, or what failed; null for neither. */
  readonly notice: string | null
  readonly kind: LinkSubject['kind']
  /** Until when it decides. */
  readonly expiresAt: Instant
  /** Null unless the link is open or its request is decided. */
  readonly request: ShownRequest | null
}

/** What is asked, and what was decided. */
export interface ShownRequest {
  readonly taskId: string
  readonly taskTitle: string
  /** The name of the agent that asks. */
  readonly askedBy: string
  /** As whom the link decides. */
  readonly person: string
  /** Of an approval. */
  readonly approval: Approval | null
  /** Of a question. */
  readonly question: Comment | null
  /** The answer to the question; null before, and for an approval. */
  readonly answer: Comment | null
}
