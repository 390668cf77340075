import { findSlowRequests, type HostileRequest } from '@taskboard/kit/hostile/request-costs'
import {
  hostileDocumentRequests,
  hostileHeaderRequests,
  hostileQueryRequests,
  hostileVariableRequests,
} from './hostile-operations.js'

/** Writes as JSON which requests cost much more than they have to. Argument: which ones. */
const BYTES = 60_000

const kinds: Readonly<Record<string, () => Promise<readonly HostileRequest[]>>> = {
  documents: hostileDocumentRequests,
  unread: () => hostileVariableRequests(BYTES, false),
  parsed: () => hostileVariableRequests(BYTES, true),
  queries: () => hostileQueryRequests(BYTES),
  headers: () => hostileHeaderRequests(BYTES),
}

const requests = await kinds[process.argv[2] ?? '']?.()
if (requests === undefined) throw new TypeError('which requests?')
// To validate a document that is as large as it may be takes longer than any other request.
const allowanceMs = process.argv[2] === 'documents' ? 25 : 8
process.stdout.write(JSON.stringify(await findSlowRequests(requests, { allowanceMs, mostTimes: 10 })))
