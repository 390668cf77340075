export { secretContext as channelSecretContext } from './channel-config.js'
export type { ChannelTest } from './channel-delivery.js'
export type { ChannelQuery, ChannelStore, NewStoredChannel, StoredChannelChange } from './channel-store.js'
export { channelChangeInput, newChannelInput } from './channels.js'
export type { Channel, ChannelChange, ChannelInput, ChannelPage, Channels } from './channels.js'
export type { Confirmations } from './confirmations.js'
export type {
  ChannelConfirmation,
  ChannelNotification,
  ChannelType,
  ConfigField,
  ConfigTools,
  DeliveryTools,
  NotificationType,
} from './notification-type.js'
export { createUserChannels, directChannels, hostChannels } from './user-channels.js'
export type { Registered, UserChannels } from './user-channels.js'
