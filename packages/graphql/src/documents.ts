import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  specifiedRules,
  validate,
  type ValidationContext,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { GraphqlSettings } from './graphql-options.js'
import type { DocumentLimits } from './limits/document-limits.js'
import {
  type DocumentSize,
  FragmentCycle,
  measureDocument,
  type Variables,
} from './limits/measure-document.js'

const rules: Readonly<Record<keyof DocumentSize, string>> = {
  depth: 'selections nest too deep',
  cost: 'the document may cost too much',
  fields: 'too many fields are selected',
  aliases: 'too many fields have an alias',
  directives: 'there are too many directives',
}

/** Lines beyond two for each token of a document, for comments and blank lines. */
const SPARE_LINES = 1_000

const LINE_END = /\r\n|[\n\r]/

/**
 * Runs before a document is parsed. Lines are limited because each error has its line, and graphql counts lines again for each.
 * @throws GraphQLError for a document with too many characters or lines.
 */
function checkLength(text: string, { characters, tokens }: DocumentLimits): void {
  if (text.length > characters)
    throw new GraphQLError(`the document is too long: at most ${characters} characters; use variables`)
  const lines = 2 * tokens + SPARE_LINES
  if (text.length > lines && text.split(LINE_END, lines + 1).length > lines)
    throw new GraphQLError(`the document is too long: at most ${lines} lines`)
}

/** @throws GraphQLError for the first limit that is exceeded; the message has the limit. */
function checkSize(size: DocumentSize, limits: DocumentLimits): void {
  for (const [name, message] of Object.entries(rules) as [keyof DocumentSize, string][]) {
    if (size[name] > limits[name]) throw new GraphQLError(`${message}: at most ${limits[name]}`)
  }
}

const CONDITIONS = ['skip', 'include']

/**
 * The rule that the root field of a subscription must not be conditional. It has only one, and without it there is nothing to follow
 * (GraphQL, September 2025, 5.2.4.1).
 */
function unconditionalSubscription(context: ValidationContext): ASTVisitor {
  function* rootSelections({ selections }: SelectionSetNode, seen: Set<string>): Generator<SelectionNode> {
    for (const selection of selections) {
      yield selection
      if (selection.kind === Kind.INLINE_FRAGMENT) yield* rootSelections(selection.selectionSet, seen)
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue
      seen.add(selection.name.value)
      const fragment = context.getFragment(selection.name.value)
      if (fragment != null) yield* rootSelections(fragment.selectionSet, seen)
    }
  }

  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation !== OperationTypeNode.SUBSCRIPTION) return
      for (const selection of rootSelections(selectionSet, new Set())) {
        const condition = selection.directives?.find(({ name }) => CONDITIONS.includes(name.value))
        if (condition === undefined) continue
        const message = `@${condition.name.value} must not be used on the root field of a subscription`
        context.reportError(new GraphQLError(message, { nodes: condition }))
      }
    },
  }
}

interface Prepared {
  readonly document: DocumentNode
  readonly dependsOnVariables: boolean
}

/** Documents that may be executed. */
export interface Documents {
  /**
   * Parses, measures and validates a document. A cached document is only measured again, and only when its cost depends on
   * variables. Measuring comes before validation, whose cost grows faster than the document.
   * @returns the errors, when the document can't be executed with these variables.
   */
  prepare(text: string, variables: Variables | null | undefined): DocumentNode | readonly GraphQLError[]
}

const SYNTAX_CAUSE = 'the document has a fragment that spreads itself'

const ownRules = [...specifiedRules, unconditionalSubscription]

export function createDocuments(schema: GraphQLSchema, settings: GraphqlSettings): Documents {
  const { limits, introspection, documentCache } = settings
  const validationRules = introspection ? ownRules : [...ownRules, NoSchemaIntrospectionCustomRule]
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
    const errors = validate(schema, document, validationRules)
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
