import type { SendErrorKind } from './sender.js'

const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|EPROTO)/
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/

/**
 * The logged error of a send that threw. Only codes are kept: the runtime's messages name addresses, which would reveal the
 * host's network to the owner of a webhook.
 */
export function describeFault(error: unknown): { error: SendErrorKind; detail: string } {
  const code = findCode(error)
  if (code === 'REFUSED_ADDRESS') return { error: 'refused_address', detail: (error as Error).message }
  if (code === null) return { error: 'network', detail: 'the request failed' }
  return { error: TLS_CODE.test(code) ? 'tls' : 'network', detail: code }
}

function findCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  if (typeof code === 'string' && CODE.test(code)) return code
  return cause === undefined ? null : findCode(cause)
}
