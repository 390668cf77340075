import { hash } from 'node:crypto'

/** The SHA-256 of text in hexadecimal, for text that is random enough to need no salt. */
export function credentialDigest(text: string): string {
  return hash('sha256', text, 'hex')
}
