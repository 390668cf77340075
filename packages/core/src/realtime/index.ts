export { closeCodes } from './close-codes.js'
export type { CloseCodes } from './close-codes.js'
export type { Doorkeeper } from './connection.js'
export type { MessageStream, StreamRequest } from './message-stream.js'
export { outgoing } from './outgoing.js'
export type { Outgoing } from './outgoing.js'
export type { Conversation, Origin, RealtimeConnection, RealtimeProtocol } from './protocol.js'
export { createRealtime } from './realtime.js'
export type { Realtime } from './realtime.js'
export { resolveRealtimeOptions } from './realtime-options.js'
export type { RealtimeOptions, RealtimeSettings } from './realtime-options.js'
export type {
  HolderLease,
  LogEnd,
  LogEndQuery,
  RealtimeStore,
  SlotRelease,
  SlotRequest,
} from './realtime-store.js'
export type { ChannelMessage, RealtimeError } from './server-messages.js'
export type { Socket, SocketListener } from './socket.js'
