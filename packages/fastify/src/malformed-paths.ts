import type { RouteTable } from '@taskboard/core/transport'
import type { FastifyInstance } from 'fastify'

interface Message {
  url?: string | undefined
}

/**
 * Lets paths of `table` reach their routes despite malformed percent-encoding. Fastify's router refuses such a path in its own
 * format before any hook or route sees it, so this escapes the percent signs first. Other paths stay as they are. It does not apply
 * to `inject`, which does not go through the server.
 */
export function keepMalformedPaths(instance: FastifyInstance, table: RouteTable): void {
  const { server } = instance
  const prefix = instance.prefix.replace(/\/$/, '')
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
