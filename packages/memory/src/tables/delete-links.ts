import type { StoredLink } from '@taskboard/core/storage'
import type { Database } from './database.js'

/** Deletes the links of a task, a user, a workspace or an account. */
export function deleteLinks(
  { tables: { links } }: Pick<Database, 'tables'>,
  isMeant: (link: StoredLink) => boolean,
): void {
  for (const [tokenHash, link] of links.entries()) if (isMeant(link)) links.delete(tokenHash)
}
