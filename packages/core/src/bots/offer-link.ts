import { credentialDigest } from '../access/index.js'
import { TaskboardError } from '../errors/index.js'
import type { LinkOffer, Spoken } from './bot-desk.js'
import { buttonToken, newSecret, secretDigest } from './card.js'
import { type DeskDeps, userName } from './desk-deps.js'
import type { DeskPeople } from './desk-people.js'
import { linkCodeDigest } from './link-code.js'

const CODES = { limit: 5, windowMs: 3_600_000 }

/** Uses up a code. Each try of a messenger account counts, so that codes cannot be guessed. */
export async function offerLink<Tx>(
  deps: DeskDeps<Tx>,
  { bot, once, count }: DeskPeople<Tx>,
  spoken: Spoken,
  code: string,
): Promise<LinkOffer | null> {
  const { environment, store } = deps
  const { person, conversation } = spoken
  count(spoken)
  const key = `bot-code:${credentialDigest(`${bot} ${person.id}`)}`
  const { allowed, retryAfterMs } = await deps.limits.take({ key, ...CODES }, environment.call())
  if (!allowed) {
    const rule = 'too many codes: no other one is accepted for an hour'
    throw new TaskboardError('RATE_LIMITED', rule, { retryAfterMs })
  }
  const secret = newSecret(environment)
  const offered = await once(spoken, null, async (own) => {
    const shown = { bot, externalId: person.id, name: person.name, secretHash: secretDigest(secret) }
    return { code: await store.offerLink({ codeHash: linkCodeDigest(code), ...shown }, own) }
  })
  if (offered === null) return null
  // Others have read it, so it is used up.
  if (!conversation.isDirect) {
    throw new TaskboardError(
      'FORBIDDEN',
      'send codes in a direct message alone: get another one, as others can read this',
    )
  }
  if (offered.code === null) throw new TaskboardError('NOT_FOUND', 'this code is not valid, or not any more')
  const { id, userId, accountId } = offered.code
  const [account] = await deps.access.listAccounts({ accountId }, environment.call())
  return {
    user: await userName(deps, accountId, userId),
    account: account?.name ?? accountId,
    accept: buttonToken(id, secret, 'y'),
    decline: buttonToken(id, secret, 'n'),
  }
}
