import { defaultDocumentLimits, type DocumentLimits } from './limits/document-limits.js'

export interface GraphqlOptions {
  /**
   * Whether the schema can be asked about itself, and mistakes in names are answered with suggestions. Default: not with
   * `NODE_ENV=production`.
   */
  readonly introspection?: boolean | undefined
  /** What documents may come to. */
  readonly limits?: Partial<DocumentLimits> | undefined
  /** How much of parsed and validated documents is kept, by their text; the least recently used go first. */
  readonly documentCache?: { readonly documents?: number; readonly characters?: number } | undefined
}

export interface GraphqlSettings {
  readonly introspection: boolean
  readonly limits: DocumentLimits
  readonly documentCache: { readonly documents: number; readonly characters: number }
}

const DOCUMENTS = 1_000
const CHARACTERS = 500_000

/** @throws TypeError for a number that cannot be a limit. */
export function resolveOptions({ introspection, limits, documentCache }: GraphqlOptions): GraphqlSettings {
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
      throw new TypeError(`${name} must be a whole number from 1`)
  }
  return settings
}
