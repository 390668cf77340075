import { createPeople, type People, type WorkspaceReach } from '../access/index.js'
import type { Wiring } from './wiring.js'

/** The people of a board. */
export function peopleOf<Tx>(
  { environment, storage, access, options }: Wiring<Tx>,
  reach: WorkspaceReach,
): People {
  return createPeople({
    environment,
    store: storage.access,
    signIns: storage.sessions,
    reach,
    hasLogin: access.login !== null,
    ofHost: options.people,
  })
}
