import { reportWorst } from '@taskboard/kit/bench/report-worst'
import {
  hostileDocumentRequests,
  hostileHeaderRequests,
  hostileQueryRequests,
  hostileVariableRequests,
} from '../test/hostile-operations.js'

/**
 * How long the worst requests of a megabyte keep the event loop: the processor time that the process takes for one, the least of three
 * tries. None may take more than 50 ms. Bodies that the host has parsed are counted without its parsing.
 */
const BYTES = 1_000_000

await reportWorst('documents', await hostileDocumentRequests())
await reportWorst('variables, unread', await hostileVariableRequests(BYTES, false))
await reportWorst('variables, parsed by the host', await hostileVariableRequests(BYTES, true))
await reportWorst('members by GET', await hostileQueryRequests(BYTES))
await reportWorst('headers', await hostileHeaderRequests(BYTES))
