import ipaddr from 'ipaddr.js'
import { TaskboardError } from '../errors/index.js'

export interface EndpointGuardOptions {
  /**
   * Addresses (CIDR or single) that deliveries can go to although they aren't public. This includes plain HTTP when the URL has the
   * address itself, or `localhost`. For development and for receivers in the host's own network.
   */
  readonly allow?: readonly string[] | undefined
}

/** Decides where deliveries can go, so that no webhook makes the host call its own network. */
export interface EndpointGuard {
  /**
   * Why an endpoint's URL is rejected, or null. Checks the text only, including IP literals in any spelling. Names aren't
   * resolved here: their addresses can change, so they require https, and each connection is checked (`refuseAddress`).
   */
  refuseUrl(url: string): string | null
  /** Why a connection to this IP address is rejected, or null. The reason doesn't name the address. */
  refuseAddress(address: string, protocol: 'http:' | 'https:'): string | null
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

const URL_CODE_UNITS = 2_048
const NOT_PRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u
const NOT_PUBLIC = 'must be at a public address'
const HTTPS_ONLY = 'must use https'

/** The only assigned IPv6 block of global unicast addresses (RFC 4291, IANA). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
/** Where DNS64 puts the IPv4 addresses of public hosts (RFC 6052); the same without its prefix. */
const wellKnownNat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Creates a guard that rejects every address that isn't public unicast.
 * @throws TaskboardError `INVALID_CONFIG` for an entry of `allow` that is neither CIDR nor address.
 * @example
 * ```ts
 * import { createEndpointGuard } from '@taskboard/core/storage'
 *
 * const guard = createEndpointGuard({ allow: ['10.0.0.0/8'] })
 * console.log(guard.refuseAddress('10.1.2.3', 'http:')) // null
 * console.log(guard.refuseAddress('192.168.0.1', 'https:') === null) // false
 * ```
 */
export function createEndpointGuard(options: EndpointGuardOptions = {}): EndpointGuard {
  const allowed = parseNetworks(options.allow ?? [])
  const isAllowed = (address: Address): boolean => allowed.some((network) => isWithin(address, network))

  function refuseAddress(text: string, protocol: 'http:' | 'https:'): string | null {
    const spelled = parseAddress(text)
    if (spelled === null) return NOT_PUBLIC
    const address = unwrap(spelled)
    if (isAllowed(address) || isAllowed(spelled)) return null
    if (protocol !== 'https:') return HTTPS_ONLY
    return isPublic(address) ? null : NOT_PUBLIC
  }

  function refuseHost(url: URL): string | null {
    const protocol = url.protocol as 'http:' | 'https:'
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const name = host.toLowerCase().replace(/\.+$/, '')
    if (name === '') return 'must name a host'
    if (parseAddress(host) !== null) return refuseAddress(host, protocol)
    if (name === 'localhost' || name.endsWith('.localhost')) {
      const loopback = ['127.0.0.1', '::1'].map((address) => refuseAddress(address, protocol))
      return loopback.includes(null) ? null : NOT_PUBLIC
    }
    return protocol === 'http:' ? HTTPS_ONLY : null
  }

  return {
    refuseUrl(text) {
      if (text.length > URL_CODE_UNITS) return `must have at most ${URL_CODE_UNITS} characters`
      if (NOT_PRINTABLE.test(text)) return 'must not contain spaces, backslashes or control characters'
      const url = URL.canParse(text) ? new URL(text) : null
      if (url === null) return 'must be an absolute URL'
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return HTTPS_ONLY
      if (url.username !== '' || url.password !== '' || authority(text).includes('@')) {
        return 'must not contain a user name or password'
      }
      if (text.includes('#')) return 'must not have a fragment'
      if (url.port === '0') return 'must have a port from 1 to 65535'
      return refuseHost(url)
    },
    refuseAddress,
  }
}

/** The text between the slashes, because `URL` doesn't show an empty user name. */
function authority(text: string): string {
  return /^[a-z]+:\/*([^/?#]*)/i.exec(text)?.[1] ?? ''
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return !(address instanceof ipaddr.IPv6) || address.match(globalUnicast)
}

/**
 * The IPv4 address inside a mapped or NAT64 address. Other forms that contain one (6to4, Teredo, IPv4-compatible, local NAT64)
 * are never public unicast.
 */
function unwrap(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (address.match(wellKnownNat64)) return new ipaddr.IPv4(address.toByteArray().slice(12))
  return address
}

function isWithin(address: Address, [network, bits]: Network): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits)
  return network instanceof ipaddr.IPv6 && address.match(network, bits)
}

/** Only the usual four decimal parts, or IPv6: `URL` has already turned every other spelling into these. */
function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  // A dotted tail goes through URL too: ipaddr.js reads ::8.8.8.8 as the mapped ::ffff:8.8.8.8.
  const url = `https://[${text}]/`
  return text.includes(':') && URL.canParse(url)
    ? ipaddr.IPv6.parse(new URL(url).hostname.slice(1, -1))
    : null
}

function parseNetworks(allow: unknown): readonly Network[] {
  const networks = Array.isArray(allow) ? allow.map(parseNetwork) : [null]
  if (networks.every((network) => network !== null)) return networks
  throw new TaskboardError(
    'INVALID_CONFIG',
    "webhooks.allow must be a list of addresses or networks, such as ['127.0.0.0/8']",
    { field: 'webhooks.allow' },
  )
}

function parseNetwork(text: unknown): Network | null {
  if (typeof text !== 'string') return null
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  const address = parseAddress(text)
  return address === null ? null : [address, address instanceof ipaddr.IPv4 ? 32 : 128]
}
