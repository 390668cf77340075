import {
  findSlowRequests,
  type HostileRequest,
  type SlowRequests,
} from '@taskboard/kit/hostile/request-costs'
import {
  hostileDocumentRequests,
  hostileHeaderRequests,
  hostileQueryRequests,
  hostileVariableRequests,
} from './hostile-operations.js'

/** Writes as JSON, by their kind, which requests cost much more than they have to. */
const BYTES = 60_000

const kinds: Readonly<Record<string, () => Promise<readonly HostileRequest[]>>> = {
  documents: hostileDocumentRequests,
  unread: () => hostileVariableRequests(BYTES, false),
  parsed: () => hostileVariableRequests(BYTES, true),
  queries: () => hostileQueryRequests(BYTES),
  headers: () => hostileHeaderRequests(BYTES),
}

const found: Record<string, SlowRequests> = {}
for (const [kind, requestsOf] of Object.entries(kinds)) {
  // To validate a document that is as large as it may be takes longer than any other request.
  const allowanceMs = kind === 'documents' ? 16 : 8
  found[kind] = await findSlowRequests(await requestsOf(), { allowanceMs, mostTimes: 10 })
}
process.stdout.write(JSON.stringify(found))
