export { attachRealtime } from './attach-realtime.js'
export type { AttachedRealtime, AttachRealtimeOptions } from './attach-realtime.js'
