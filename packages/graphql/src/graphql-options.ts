import { TaskboardError } from '@taskboard/core'
import { requireOptionNames, type NamesOf } from '@taskboard/core/transport'
import { defaultDocumentLimits, type DocumentLimits } from './limits/document-limits.js'

export interface GraphqlOptions {
  /**
   * Whether introspection is served and errors in names suggest others. Default: true unless `NODE_ENV=production`.
   */
  readonly introspection?: boolean | undefined
  /** The limits of documents. */
  readonly limits?: Partial<DocumentLimits> | undefined
  /** How much of parsed and validated documents is cached, by their text; the least recently used are evicted first. */
  readonly documentCache?: { readonly documents?: number; readonly characters?: number } | undefined
}

export interface GraphqlSettings {
  readonly introspection: boolean
  readonly limits: DocumentLimits
  readonly documentCache: { readonly documents: number; readonly characters: number }
}

const LIMITS = Object.fromEntries(
  Object.keys(defaultDocumentLimits).map((name) => [name, true]),
) as unknown as NamesOf<DocumentLimits>
const DOCUMENTS = 1_000
const CHARACTERS = 500_000

/** @throws TaskboardError `INVALID_CONFIG` for another name, and for a number that can't be a limit. */
export function resolveOptions(options: GraphqlOptions): GraphqlSettings {
  requireOptionNames<GraphqlOptions>(options, {
    introspection: true,
    limits: LIMITS,
    documentCache: { documents: true, characters: true },
  })
  const { introspection, limits, documentCache } = options
  const settings: GraphqlSettings = {
    introspection: introspection ?? process.env['NODE_ENV'] !== 'production',
    limits: { ...defaultDocumentLimits, ...limits },
    documentCache: {
      documents: documentCache?.documents ?? DOCUMENTS,
      characters: documentCache?.characters ?? CHARACTERS,
    },
  }
  for (const [name, value] of Object.entries({ ...settings.limits, ...settings.documentCache })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TaskboardError('INVALID_CONFIG', `${name} must be a whole number from 1`, { field: name })
  }
  return settings
}
