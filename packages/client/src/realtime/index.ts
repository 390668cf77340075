export { createRealtime } from './realtime.js'
export type { Realtime, RealtimeOptions, SubscribeOptions } from './realtime.js'
export type { ChannelPosition, RealtimeActor, RealtimeEvent, RealtimeMessage } from './messages.js'
export type { RealtimeState, Subscription } from './subscription.js'
