export type { Choice } from './decider.js'
export { linkKeptMs } from './link.js'
export type { LinkState, LinkSubject, LinkView, ShownRequest, StoredLink } from './link.js'
export type { LinkStore, NewStoredLink } from './link-store.js'
export { createLinks } from './links.js'
export type {
  LinkInput,
  LinkOrigin,
  LinkRequest,
  Links,
  LinkServices,
  MadeLink,
  ServedLinks,
} from './links.js'
export { passLifetimeMs } from './login-pass.js'
export { resolveLinkOptions } from './link-options.js'
export type { LinkOptions, LinkSettings } from './link-options.js'
export type { DirectChannel, DirectMessage } from './direct-message.js'
