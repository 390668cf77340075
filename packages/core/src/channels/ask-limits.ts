import { credentialDigest } from '../access/index.js'
import type { Environment } from '../environment/index.js'
import type { LimitStore } from '../limits/index.js'

const DAY_MS = 86_400_000
/**
 * A link goes to someone who hasn't agreed to anything yet. One account gets few of the links that a mailbox may get, so that it doesn't
 * use them up for others. Its workspaces count together, because they are free.
 */
const OF_MAILBOX_AND_ACCOUNT = { limit: 3, windowMs: DAY_MS }
const OF_ACCOUNT = { limit: 50, windowMs: DAY_MS }
const OF_MAILBOX = { limit: 12, windowMs: DAY_MS }
/** As many mail servers read an address: without what follows a `+`, and without dots. Only limits take two for one. */
const mailboxOf = (recipient: string): string =>
  recipient.toLowerCase().replace(/^([^+@]+)[^@]*@/, (_, user: string) => `${user.replaceAll('.', '')}@`)

/** Whether one more link may go to a recipient of a type of channel, which then counts. */
export function createAskLimits({
  environment,
  limits,
}: {
  readonly environment: Environment
  readonly limits: LimitStore
}): (type: string, accountId: string, recipient: string) => Promise<boolean> {
  return async (type, accountId, recipient) => {
    const mailbox = `${type}:${credentialDigest(mailboxOf(recipient))}`
    // What all share comes last, so that a refusal costs others nothing.
    for (const use of [
      { key: `confirmation:${accountId}:${mailbox}`, ...OF_MAILBOX_AND_ACCOUNT },
      { key: `confirmations:${accountId}`, ...OF_ACCOUNT },
      { key: `confirmation:${mailbox}`, ...OF_MAILBOX },
    ]) {
      if (!(await limits.take(use, environment.call())).allowed) return false
    }
    return true
  }
}
