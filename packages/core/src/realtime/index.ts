export {
  closeCodes,
  type CloseCodes,
  type Conversation,
  type Origin,
  type RealtimeConnection,
  type RealtimeProtocol,
} from './protocol.js'
export type { ConnectionAuthenticator } from './connection.js'
export type { MessageStream, StreamRequest } from './message-stream.js'
export { encodeFrames, type EncodedFrames } from './encoded-frames.js'
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
