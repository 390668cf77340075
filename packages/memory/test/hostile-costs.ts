import { hostileRequests } from '@taskboard/kit/hostile/hostile-bodies'
import { hostileHeads } from '@taskboard/kit/hostile/hostile-heads'
import { findSlowRequests, type HostileRequest } from '@taskboard/kit/hostile/request-costs'

/**
 * Writes as JSON which requests cost much more than has to be done with them in any case. Argument: which ones, `heads` or bodies
 * that are `unread` or `parsed`.
 */
const BYTES = 60_000

const kinds: Readonly<Record<string, () => Promise<readonly HostileRequest[]>>> = {
  unread: () => hostileRequests(BYTES, false),
  parsed: () => hostileRequests(BYTES, true),
  heads: () => hostileHeads(BYTES),
}

const requests = await kinds[process.argv[2] ?? '']?.()
if (requests === undefined) throw new TypeError('which requests?')
process.stdout.write(JSON.stringify(await findSlowRequests(requests, { allowanceMs: 8, mostTimes: 10 })))
