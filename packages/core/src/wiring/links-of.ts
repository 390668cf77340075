import type { People } from '../access/index.js'
import { directChannels } from '../channels/index.js'
import { createLinks, resolveLinkOptions, type LinkServices } from '../links/index.js'
import { linkPageOf } from './taskboard-options.js'
import type { Wiring } from './wiring.js'

/** The links of a board that decide as its people. */
export function linksOf<Tx>(
  { environment, storage, secrets, options }: Wiring<Tx>,
  people: People,
): LinkServices<Tx> {
  const { links: store, approvals, comments, tasks, agents, limits } = storage
  return createLinks<Tx>({
    environment,
    store,
    approvals,
    comments,
    tasks,
    agents,
    limits,
    people,
    secrets,
    settings: resolveLinkOptions(options.links),
    failuresPerMinute: options.limits?.failedCredentialsPerMinute,
    pageOf: linkPageOf(options),
    directs: directChannels(options.notifications ?? []),
  })
}
