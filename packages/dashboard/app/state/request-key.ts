import { useMemo } from 'preact/hooks'
import { newKey } from './new-key.js'

/** The idempotency key of a form: the same as long as `values` are, so that a repeat after a lost answer makes nothing twice. */
export function useRequestKey(values: readonly unknown[]): string {
  return useMemo(newKey, values)
}
