export { virtualClock } from './clock/virtual-clock.js'
export type { PendingWork, VirtualClock, VirtualClockOptions } from './clock/virtual-clock.js'
export type { Duration } from './clock/duration.js'
