const MAPPED_IPV4 = /^(?:0{0,4}:){2,5}ffff:(\d+\.\d+\.\d+\.\d+)$/i
const NETWORK_GROUPS = 4

/**
 * The bucket that counts the failures of a client address: the address itself for IPv4 (also when written as IPv4-mapped IPv6), and
 * its /64 for IPv6, because one client commonly has all of it. Any other text is its own bucket.
 */
export function addressBucket(address: string): string {
  if (!address.includes(':')) return address
  const plain = address.split('%')[0] ?? address
  const mapped = MAPPED_IPV4.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0)
    const shown = tail === '' ? [] : tail.split(':')
    for (let missing = 8 - groups.length - after; missing > 0; missing--) groups.push('0')
    groups.push(...shown)
  }
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
