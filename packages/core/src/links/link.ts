import { credentialDigest } from '../access/index.js'
import type { Approval, Comment } from '../board/index.js'
import type { Instant } from '../environment/index.js'

/** What a link decides: an approval, or a question by the id of its comment. */
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
  /** Of what the person is asked: the digest of an approval's input, or that of a question's text. */
  readonly digest: string
  /** The person who decides with it. */
  readonly userId: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
}

/** How long a link is kept after it has expired, so that it can say so. */
export const linkKeptMs = 7 * 86_400_000

/** The digest that binds a link to what is asked. */
export function digestOfQuestion({ body }: Pick<Comment, 'body'>): string {
  return credentialDigest(body)
}

/**
 * What has become of what a link asks. `expired`: the link, or the request. `refused`: the person may not decide it any more. `withdrawn`: nothing waits for it.
 * `changed`: something else is asked by now.
 */
export type LinkState = 'open' | 'decided' | 'expired' | 'refused' | 'withdrawn' | 'changed'

/** What a link shows to whoever opens it. */
export interface LinkView {
  readonly id: string
  readonly userId: string
  readonly state: LinkState
  /** Why it is refused, or what could not be done; null for nothing. */
  readonly notice: string | null
  readonly kind: LinkSubject['kind']
  /** Until when it decides. */
  readonly expiresAt: Instant
  /** Null unless the link is open or its request is decided: the rest is for nobody. */
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
