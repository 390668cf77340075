/** The parts of undici that its sender uses, behind the `Sender` port and nowhere else. */
export { buildConnector, Pool } from 'undici'
export type { Dispatcher } from 'undici'
