import type { CallContext } from '../environment/index.js'
import type { StoredLink } from './link.js'

/** A link to store. */
export type NewStoredLink = Pick<StoredLink, 'workspaceId' | 'taskId' | 'about' | 'digest' | 'userId'> & {
  /** The SHA-256 of its token in hexadecimal. */
  readonly tokenHash: string
  readonly ttlMs: number
}

/** Links that decide as one person. They go with their task, their user, their workspace and their account. Each verb is atomic. */
export interface LinkStore<Tx = unknown> {
  /** Stores a link. @throws TaskboardError `TASK_NOT_FOUND` for a task that the workspace does not have. */
  insertLink(insertion: { readonly link: NewStoredLink }, call: CallContext<Tx>): Promise<StoredLink>
  /**
   * The link of a token, even an expired one, and for how much longer it is valid: not positive when it isn't. Null for an unknown token,
   * and when its account or workspace is being deleted.
   */
  findLink(
    named: { readonly tokenHash: string },
    call: CallContext<Tx>,
  ): Promise<{ readonly link: StoredLink; readonly expiresInMs: number } | null>
}
