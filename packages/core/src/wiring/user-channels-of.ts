import { createAccountDirectory } from '../agents/index.js'
import { createUserChannels, type UserChannels } from '../channels/index.js'
import type { LinkServices } from '../links/index.js'
import { findAccount } from './find-account.js'
import { confirmationPageOf } from './taskboard-options.js'
import { createSender, type Wiring } from './wiring.js'

/** Its own sender, because the deliverer closes its sender before the notifier has stopped. */
export function userChannelsOf<Tx>(
  wiring: Wiring<Tx>,
  { forRecipient }: Pick<LinkServices<Tx>, 'forRecipient'>,
): UserChannels<Tx> {
  const { options, storage } = wiring
  const directory = createAccountDirectory(wiring.environment, storage.access)
  return createUserChannels({
    ...wiring,
    store: storage.channels,
    limits: storage.limits,
    registered: options.notifications ?? [],
    findAccount: (workspaceId) => findAccount(wiring, workspaceId),
    accountOf: (workspaceId) => directory.accountOf(workspaceId),
    decisionLink: forRecipient,
    confirmationLink: confirmationPageOf(options),
    sender: options.webhooks?.sender ?? createSender(wiring),
  })
}
