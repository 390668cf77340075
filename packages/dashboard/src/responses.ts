import type { HttpRequest, HttpResponse } from '@taskboard/core/transport'
import type { ServedFile } from './application.js'

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "require-trusted-types-for 'script'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** With every response, so that nothing of the dashboard is of use to a page of another origin. */
export const securityHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** A file in the smallest form that the client accepts, or 304 for the one that it has. */
export function answerFile(request: HttpRequest, file: ServedFile): HttpResponse {
  const { encoding, bytes } = chosenForm(request.header('accept-encoding') ?? '', file)
  const etag = `"${file.digest}${encoding === null ? '' : `-${encoding}`}"`
  const headers: Record<string, string> = {
    ...securityHeaders,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    // Also with 304: otherwise some frameworks add their default, which caches may take for the file's.
    'content-type': file.type,
    etag,
    vary: 'accept-encoding',
  }
  if (isNamed(request.header('if-none-match'), etag)) return { status: 304, headers, body: '' }
  if (encoding !== null) headers['content-encoding'] = encoding
  return { status: 200, headers, body: bytes }
}

/** A short response that no browser shows as a page. */
export function answerText(status: number, text: string): HttpResponse {
  const headers = {
    ...securityHeaders,
    'cache-control': 'no-store',
    'content-type': 'text/plain; charset=utf-8',
  }
  return { status, headers, body: text }
}

function chosenForm(
  accepted: string,
  { bytes, encoded }: ServedFile,
): { readonly encoding: string | null; readonly bytes: Uint8Array } {
  const names = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*q\s*=\s*/))
    .filter(([, quality = '1']) => Number(quality) > 0)
    .map(([name]) => name)
  const [smallest] = encoded.filter(({ encoding }) => names.includes(encoding))
  return smallest ?? { encoding: null, bytes }
}

function isNamed(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
