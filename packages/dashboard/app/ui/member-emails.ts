import type { Member } from '@taskboard/client'
import { can, client, config } from '../state/api.js'
import { usePages } from './pages.js'

/** The addresses of the members by their ids; those whom the host keeps, and those who have gone, aren't among them. */
export function useMemberEmails(): ReadonlyMap<string, string> {
  const { items } = usePages<Member>(async (_, signal) => {
    if (config.login !== 'taskboard' || !can('account:read')) return { items: [], next: null }
    const { members } = await client.members.list({ signal })
    return { items: members, next: null }
  }, [])
  return new Map(items?.map(({ id, email }) => [id, email]))
}
