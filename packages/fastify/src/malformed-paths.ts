import type { RouteTable } from '@taskboard/core/transport'
import type { FastifyInstance } from 'fastify'

interface Message {
  url?: string | undefined
}

/**
 * Lets paths of `table` reach their routes although their percent-encoding is malformed. Fastify's router refuses such a path
 * before any hook or route of a plugin sees it, in a format of its own, so their percent signs are escaped before it looks. Other paths
 * stay as they are. Not for `inject`, which does not go through the server.
 */
export function keepMalformedPaths(instance: FastifyInstance, table: RouteTable): void {
  const { server, prefix } = instance
  const escapeOurs = (message: Message): void => {
    if (message.url?.includes('%') === true) message.url = escaped(message.url, prefix, table)
  }
  server.prependListener('request', escapeOurs)
  instance.addHook('onClose', (_, done) => {
    server.off('request', escapeOurs)
    done()
  })
}

function escaped(url: string, prefix: string, table: RouteTable): string {
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  if (isDecodable(path) || !path.startsWith(prefix) || table.find(path.slice(prefix.length)) === null)
    return url
  const segments = path.split('/')
  const kept = segments.map((segment) => (isDecodable(segment) ? segment : segment.replaceAll('%', '%25')))
  return kept.join('/') + url.slice(path.length)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
