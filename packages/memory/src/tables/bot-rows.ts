import type { Instant } from '@taskboard/core'
import type { LinkCode, MessagePlace } from '@taskboard/core/storage'

/** A code, and the messenger account that may accept it. */
export interface LinkCodeRow extends LinkCode {
  readonly codeHash: string
  readonly offer: {
    readonly bot: string
    readonly externalId: string
    readonly name: string
    readonly secretHash: string
  } | null
}

/** A message, and when it is to be sent. */
export interface MessageRow {
  readonly workspaceId: string
  readonly place: MessagePlace
  readonly marks: number
  /** When it is to be sent, or its claim ends; null for when nothing is to be sent. */
  readonly dueAt: Instant | null
  readonly notBefore: Instant
  readonly claimToken: string | null
}

/** Which process asks a messenger for updates, and from where on. */
export interface PollingRow {
  readonly position: number
  readonly holder: string | null
  readonly heldUntil: Instant
}
