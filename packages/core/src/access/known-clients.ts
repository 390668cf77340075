/**
 * The clients that have logged in lately. The oldest are forgotten first: of all, and of those where the same user was the last to log in.
 * No one can therefore make many known.
 */
export function createKnownClients(most: number, mostOfUser = most) {
  const users = new Map<string, string>()
  const clients = new Map<string, Set<string>>()

  function forget(key: string | undefined): void {
    const user = key === undefined ? undefined : users.get(key)
    if (key === undefined || user === undefined) return
    users.delete(key)
    const others = clients.get(user)
    others?.delete(key)
    if (others?.size === 0) clients.delete(user)
  }

  return {
    add(key: string, user = ''): void {
      forget(key)
      users.set(key, user)
      const ofUser = clients.get(user) ?? new Set()
      clients.set(user, ofUser.add(key))
      if (ofUser.size > mostOfUser) forget([...ofUser][0])
      if (users.size > most) forget(users.keys().next().value)
    },
    has: (key: string): boolean => users.has(key),
    forget,
  }
}
