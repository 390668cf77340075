import type { Instant, OnRecord } from '../environment/index.js'
import type { LinkedRequest } from './asked.js'

/** A link, with the address that opens it. */
export interface MadeLink {
  /** `lnk_…` */
  readonly id: string
  /** Anyone who has it decides as the person. It isn't stored, and no call returns it again. */
  readonly url: string
  readonly expiresAt: Instant
}

/** Makes one link. */
export type MakeLink = (
  request: LinkedRequest,
  wanted: { readonly userId: string; readonly ttlMs: number },
  options?: OnRecord<unknown>,
) => Promise<MadeLink>
