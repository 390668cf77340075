import type { SecretBox } from '../access/index.js'
import type { Environment } from '../environment/index.js'
import type { EventLink, NotificationChannel, NotificationRoute } from '../events/index.js'
import type { LimitStore } from '../limits/index.js'
import type { EndpointGuard, HostRates, Sender } from '../webhooks/index.js'
import type { DirectChannel } from '../links/index.js'
import { createChannelDelivery, type ChannelDeliveryDeps } from './channel-delivery.js'
import type { ChannelStore } from './channel-store.js'
import { createChannels, type Channels } from './channels.js'
import { createConfirmations, type Confirmations, type FindAccount } from './confirmations.js'
import { type NotificationType, typesByName } from './notification-type.js'

/** The channels and channel types that a host registers: its own channels, and types of channels that users set up. */
export type Registered = NotificationChannel | NotificationType

export interface UserChannelsDeps<Tx> {
  readonly environment: Environment
  readonly store: ChannelStore<Tx>
  readonly limits: LimitStore
  readonly registered: readonly Registered[]
  readonly secrets: SecretBox
  readonly guard: EndpointGuard
  readonly sender: Sender
  readonly linkOf: EventLink
  readonly rates: Pick<HostRates, 'take'>
  readonly findAccount: FindAccount
  /** As `findAccount`, from memory; null when it is gone. */
  readonly accountOf: (workspaceId: string) => string | Promise<string | null>
  /** See `ChannelDeliveryDeps`. */
  readonly decisionLink: ChannelDeliveryDeps['decisionLink']
  /** The page on which a recipient confirms; null without `publicUrl`. */
  readonly confirmationLink: ((token: string) => string) | null
}

/** The channels that users set up, and how the notifier serves them. */
export interface UserChannels<Tx> {
  readonly channels: Channels<Tx>
  readonly confirmations: Confirmations
  readonly routes: readonly NotificationRoute[]
  /** Closes the connections of deliveries. */
  close(): Promise<void>
}

/** The channels among what a host registers. */
export function hostChannels(registered: readonly Registered[]): readonly NotificationChannel[] {
  return registered.filter((each): each is NotificationChannel => 'send' in each)
}

/** Those among what a host registers that reach one person alone. */
export function directChannels(registered: readonly Registered[]): readonly DirectChannel[] {
  return registered.filter(
    (each): each is NotificationType & DirectChannel => 'direct' in each && each.direct !== undefined,
  )
}

/** @throws TaskboardError `INVALID_CONFIG` for types with an invalid or repeated name, and without a `publicUrl` that one needs. */
export function createUserChannels<Tx>(deps: UserChannelsDeps<Tx>): UserChannels<Tx> {
  const types = typesByName(deps.registered.filter((each): each is NotificationType => 'deliver' in each))
  const delivery = createChannelDelivery({ ...deps, types })
  const confirmations = createConfirmations({ ...deps, types })
  return {
    channels: createChannels({ ...deps, types, delivery, confirmations }),
    confirmations,
    routes: delivery.routes,
    close: () => deps.sender.close(),
  }
}
