import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { type Document, wireSource } from './wire-source.js'

/** Where the types of the wire are. */
export const wireFile = fileURLToPath(new URL('../src/wire.ts', import.meta.url))

/** The text of `src/wire.ts` for a document. */
export async function formattedWire(document: Document): Promise<string> {
  return format(wireSource(document), { ...(await resolveConfig(wireFile)), filepath: wireFile })
}
