import { credentialDigest } from '../access/index.js'

/** A code as it is stored: without what people add or drop when they copy it. */
export const linkCodeDigest = (code: string): string =>
  credentialDigest(`link ${code.toLowerCase().replaceAll(/[^0-9a-z]/g, '')}`)
