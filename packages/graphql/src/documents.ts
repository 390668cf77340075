import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { GraphqlSettings } from './graphql-options.js'
import { unconditionalSubscription } from './unconditional-subscription.js'
import { checkLength, checkSize } from './limits/check-size.js'
import { FragmentCycle, measureDocument, type Variables } from './limits/measure-document.js'

interface Prepared {
  readonly document: DocumentNode
  readonly dependsOnVariables: boolean
}

/** Documents that may be executed. */
export interface Documents {
  /**
   * Parses, measures and validates a document. A cached document is only measured again, and only when its cost depends on
   * variables. Measuring comes before validation, whose cost grows faster than the document.
   * @returns the errors, when the document cannot be executed with these variables.
   */
  prepare(text: string, variables: Variables | null | undefined): DocumentNode | readonly GraphQLError[]
}

const SYNTAX_CAUSE = 'the document has a fragment that spreads itself'

const ownRules = [...specifiedRules, unconditionalSubscription]

export function createDocuments(schema: GraphQLSchema, settings: GraphqlSettings): Documents {
  const { limits, introspection, documentCache } = settings
  const rules = introspection ? ownRules : [...ownRules, NoSchemaIntrospectionCustomRule]
  const cache = new LRUCache<string, Prepared>({
    max: documentCache.documents,
    maxSize: documentCache.characters,
    sizeCalculation: (_, text) => Math.max(1, text.length),
  })

  function measure(document: DocumentNode, variables: Variables | null | undefined): boolean {
    const { size, dependsOnVariables } = measureDocument(schema, document, variables ?? {})
    checkSize(size, limits)
    return dependsOnVariables
  }

  function make(text: string, variables: Variables | null | undefined): Prepared | readonly GraphQLError[] {
    checkLength(text, limits)
    const document = parse(text, { maxTokens: limits.tokens })
    const dependsOnVariables = measure(document, variables)
    const errors = validate(schema, document, rules)
    return errors.length > 0 ? errors : { document, dependsOnVariables }
  }

  return {
    prepare(text, variables) {
      const known = cache.get(text)
      try {
        if (known !== undefined) {
          if (known.dependsOnVariables) measure(known.document, variables)
          return known.document
        }
        const made = make(text, variables)
        if (!('document' in made)) return made
        cache.set(text, made)
        return made.document
      } catch (error) {
        if (error instanceof FragmentCycle) return [new GraphQLError(SYNTAX_CAUSE)]
        if (error instanceof GraphQLError) return [error]
        throw error
      }
    },
  }
}
