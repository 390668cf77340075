import type { Environment } from '../../environment/index.js'
import type { HttpRequest } from '../http.js'

const WELL_FORMED = /^[A-Za-z0-9_.-]{1,64}$/

/** The id in a request's answer and log lines: the caller's `X-Request-Id` if it is well-formed, else a new one. */
export function requestIdOf(request: HttpRequest, { newId }: Environment): string {
  const given = request.header('x-request-id')
  return given !== undefined && WELL_FORMED.test(given) ? given : newId('req')
}
