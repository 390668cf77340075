/** All that is used of undici, for the parts of its sender alone: behind the `Sender` port, and nowhere else. */
export { buildConnector, Pool } from 'undici'
export type { Dispatcher } from 'undici'
