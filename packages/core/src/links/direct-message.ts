import type { FoundPerson } from '../access/index.js'
import type { Instant } from '../environment/index.js'

/** A message to one person alone, with a link that decides as this person. */
export interface DirectMessage {
  readonly person: FoundPerson
  readonly accountId: string
  readonly workspaceId: string
  /** The request in one line of plain text, at most 600 characters. Users wrote parts of it: escape it. */
  readonly text: string
  /** Anyone who has it decides as the person: send it to the person alone, and keep it out of logs and previews. */
  readonly url: string
  /** When the link expires. */
  readonly expiresAt: Instant
}

/** A way to reach one person alone: a direct message to the person's own linked account, or mail to their verified address. */
export interface DirectChannel {
  readonly name: string
  /**
   * Sends a message to a person alone. Returns false when it has no way to this person, so that the next channel is tried. An error
   * that it throws is logged, and the next channel is tried.
   */
  direct(message: DirectMessage): Promise<boolean>
}
