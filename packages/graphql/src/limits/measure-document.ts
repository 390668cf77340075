import {
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { DocumentLimits } from './document-limits.js'
import type { FieldCost } from './field-cost.js'

/** The measures of a document. Counts may be infinite where fragments multiply. */
export type DocumentSize = Omit<DocumentLimits, 'characters' | 'tokens'>

export interface MeasuredDocument {
  readonly size: DocumentSize
  /** Whether a variable gives a page size, so that the cost depends on the variables. */
  readonly dependsOnVariables: boolean
}

/** The variables of a request, unchecked. */
export type Variables = Readonly<Record<string, unknown>>

type Definition = OperationDefinitionNode | FragmentDefinitionNode

/** A fragment that spreads itself, directly or through others. */
export class FragmentCycle extends Error {}

const NOTHING: DocumentSize = { depth: 0, cost: 0, fields: 0, aliases: 0, directives: 0 }
const UNKNOWN_FRAGMENT: DocumentSize = { ...NOTHING, fields: 1 }

/**
 * Measures a parsed document, valid or not. Each fragment is measured once, so the time grows with the document's text and not with
 * what its fragments expand to. Of several definitions the largest of each measure counts, used or not. Introspection fields count
 * nothing, but may have no alias.
 * @throws FragmentCycle
 */
export function measureDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Variables = {},
): MeasuredDocument {
  const definitions = document.definitions.filter(
    (definition): definition is Definition =>
      definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION,
  )
  const measure = new DocumentMeasure(schema, definitions, variables)
  const sizes = definitions.map((definition) => measure.ofDefinition(definition))
  return { size: sizes.reduce(larger, NOTHING), dependsOnVariables: measure.dependsOnVariables }
}

/** Measures the definitions of one document with these variables. */
class DocumentMeasure {
  readonly #schema: GraphQLSchema
  readonly #variables: Variables
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  /** The defaults of variables; null for a variable whose default isn't a number. */
  readonly #defaults = new Map<string, readonly (number | null)[]>()
  /** The measures of each fragment that is done. */
  readonly #known = new Map<string, DocumentSize>()
  /** The fragments that are being measured. */
  readonly #open = new Set<string>()
  dependsOnVariables = false

  constructor(schema: GraphQLSchema, definitions: readonly Definition[], variables: Variables) {
    this.#schema = schema
    this.#variables = variables
    for (const definition of definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition)
      for (const { variable, defaultValue } of definition.variableDefinitions ?? [])
        this.#declare(
          variable.name.value,
          defaultValue?.kind === Kind.INT ? Number(defaultValue.value) : null,
        )
    }
  }

  /** Operations declare variables separately, under names that may be equal; a fragment may be in each of them. */
  #declare(name: string, declared: number | null): void {
    this.#defaults.set(name, [...(this.#defaults.get(name) ?? []), declared])
  }

  ofDefinition(definition: Definition): DocumentSize {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) return this.#ofFragment(definition.name.value)
    const { operation, selectionSet, directives = [], variableDefinitions = [] } = definition
    const onVariables = variableDefinitions.map((variable) => variable.directives?.length ?? 0)
    const size = this.#ofSelections(selectionSet, this.#schema.getRootType(operation) ?? undefined)
    return withDirectives(
      size,
      onVariables.reduce((all, count) => all + count, directives.length),
    )
  }

  #ofFragment(name: string): DocumentSize {
    const measured = this.#known.get(name)
    if (measured !== undefined) return measured
    const fragment = this.#fragments.get(name)
    // Validation compares each fragment with each other one, also missing ones.
    if (fragment === undefined) return UNKNOWN_FRAGMENT
    if (this.#open.has(name)) throw new FragmentCycle(name)
    this.#open.add(name)
    const type = this.#schema.getType(fragment.typeCondition.name.value)
    const size = this.#ofSelections(fragment.selectionSet, type)
    this.#open.delete(name)
    const whole = withDirectives(size, fragment.directives?.length ?? 0)
    this.#known.set(name, whole)
    return whole
  }

  #ofSelections({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): DocumentSize {
    let total = NOTHING
    for (const selection of selections) {
      const size = withDirectives(this.#ofSelection(selection, parent), selection.directives?.length ?? 0)
      total = sumOf(total, size)
    }
    return parent?.name.startsWith('__') === true ? ofSchemaItself(total.aliases > 0) : total
  }

  #ofSelection(selection: SelectionNode, parent: GraphQLNamedType | undefined): DocumentSize {
    if (selection.kind === Kind.FIELD) return this.#ofField(selection, parent)
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#ofFragment(selection.name.value)
    const condition = selection.typeCondition?.name.value
    const type = condition === undefined ? parent : this.#schema.getType(condition)
    return this.#ofSelections(selection.selectionSet, type)
  }

  #ofField(node: FieldNode, parent: GraphQLNamedType | undefined): DocumentSize {
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
    const type = field && getNamedType(field.type)
    const about = schemaFields.get(node.name.value)
    const below =
      node.selectionSet === undefined
        ? NOTHING
        : this.#ofSelections(node.selectionSet, about === undefined ? type : this.#schema.getType(about))
    const { weight, size } = costOf(field)
    const own = weight ?? (type === undefined || isCompositeType(type) ? 1 : 0)
    const many = typeof size === 'string' ? this.#howMany(node, size, field) : (size ?? 1)
    return {
      depth: below.depth + 1,
      cost: own + many * Math.max(below.cost, many > 1 ? 1 : 0),
      fields: below.fields + 1,
      aliases: below.aliases + aliasesOf(node),
      directives: below.directives,
    }
  }

  /** The argument's value: literal, variable or default. A value that isn't a number is rejected later, and counts as 1. */
  #howMany(node: FieldNode, argument: string, field: GraphQLField<unknown, unknown> | undefined): number {
    const given = node.arguments?.find(({ name }) => name.value === argument)
    const fallback = field?.args.find(({ name }) => name === argument)?.defaultValue
    return toCount(given === undefined ? fallback : this.#valueOf(given, fallback))
  }

  #valueOf({ value }: ArgumentNode, fallback: unknown): unknown {
    if (value.kind === Kind.NULL) return fallback
    if (value.kind !== Kind.VARIABLE) return value.kind === Kind.INT ? Number(value.value) : 1
    this.dependsOnVariables = true
    const name = value.name.value
    if (Object.hasOwn(this.#variables, name)) return this.#variables[name] ?? fallback
    return Math.max(...(this.#defaults.get(name) ?? [null]).map((declared) => declared ?? toCount(fallback)))
  }
}

/** The introspection fields and their types. */
const schemaFields: ReadonlyMap<string, string> = new Map([
  ['__schema', '__Schema'],
  ['__type', '__Type'],
])

/** Without aliases introspection is bounded. Aliases multiply: each level repeats for each field of the level above. */
function ofSchemaItself(hasAliases: boolean): DocumentSize {
  return hasAliases ? { ...NOTHING, aliases: Infinity } : NOTHING
}

function aliasesOf({ alias, name }: FieldNode): number {
  if (alias === undefined) return 0
  return name.value === '__schema' ? Infinity : 1
}

function costOf(field: GraphQLField<unknown, unknown> | undefined): FieldCost {
  return (field?.extensions['taskboard'] as FieldCost | undefined) ?? {}
}

function toCount(value: unknown): number {
  const count = Number(value)
  return Number.isFinite(count) ? Math.max(1, count) : 1
}

function withDirectives(size: DocumentSize, directives: number): DocumentSize {
  return directives === 0 ? size : { ...size, directives: size.directives + directives }
}

function sumOf(one: DocumentSize, other: DocumentSize): DocumentSize {
  return {
    depth: Math.max(one.depth, other.depth),
    cost: one.cost + other.cost,
    fields: one.fields + other.fields,
    aliases: one.aliases + other.aliases,
    directives: one.directives + other.directives,
  }
}

function larger(one: DocumentSize, other: DocumentSize): DocumentSize {
  return {
    depth: Math.max(one.depth, other.depth),
    cost: Math.max(one.cost, other.cost),
    fields: Math.max(one.fields, other.fields),
    aliases: Math.max(one.aliases, other.aliases),
    directives: Math.max(one.directives, other.directives),
  }
}
