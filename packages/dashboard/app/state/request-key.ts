import { useMemo } from 'preact/hooks'
import { newKey } from './new-key.js'

/** The idempotency key of a form: the same as long as `values` are, so that a retry after a lost response has no second effect. */
export function useRequestKey(values: readonly unknown[]): string {
  return useMemo(newKey, values)
}
