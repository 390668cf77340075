export { type AttachedRealtime, attachRealtime, type AttachRealtimeOptions } from './attach-realtime.js'
