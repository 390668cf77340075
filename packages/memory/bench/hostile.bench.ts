import { hostileRequests } from '@taskboard/kit/hostile/hostile-bodies'
import { hostileHeads } from '@taskboard/kit/hostile/hostile-heads'
import { reportWorst } from '@taskboard/kit/bench/report-worst'

/**
 * How long the worst requests of a megabyte keep the event loop: the processor time that the process takes for one, the least of three
 * tries. None may take more than 50 ms. Bodies that the host has parsed are counted without its parsing.
 */
const BYTES = 1_000_000

await reportWorst('requests, unread', await hostileRequests(BYTES, false))
await reportWorst('requests, parsed by the host', await hostileRequests(BYTES, true))
await reportWorst('queries and headers', await hostileHeads(BYTES))
