import {
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  type NamedTypeNode,
} from 'graphql'
import type { Variables } from './measure-document.js'

type Members = Readonly<Record<string, unknown>>

/** The only scalar that accepts objects. */
const OF_OBJECTS = 'Metadata'
/** How much of a rejected value an error may show, and how deep graphql shows it. */
const MOST_MEMBERS = 20
const DEEPEST = 3
/** More errors than graphql reports before it gives up on a request. */
const MOST_ITEMS = 100
/** As many as a body that the host hasn't parsed may have, and more than any list or metadata. */
const MOST_VALUES = 20_000

/**
 * The variables without most of what graphql would report; the request is rejected all the same. One of the unknown members of an input
 * object is left. So are the first members of an object in place of a text or a number. With each error, graphql reports the whole value, so
 * many errors would cost time quadratic in the size.
 */
export function boundVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Variables | null | undefined,
): Variables | null | undefined {
  if (variables == null || !Object.values(variables).some(isObject)) return variables
  const bound: [name: string, value: unknown][] = []
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    for (const { variable, type: node } of definition.variableDefinitions ?? []) {
      const name = variable.name.value
      const type = typeFromAST(schema, node as NamedTypeNode)
      if (Object.hasOwn(variables, name) && isInputType(type))
        bound.push([name, boundValue(variables[name], type)])
    }
  }
  return { ...variables, ...Object.fromEntries(bound) }
}

function boundValue(value: unknown, type: GraphQLInputType): unknown {
  if (!isObject(value)) return value
  if (isNonNullType(type)) return boundValue(value, type.ofType)
  if (isListType(type)) {
    return Array.isArray(value)
      ? value
          .slice(0, MOST_VALUES)
          .map((item: unknown, index) => (index < MOST_ITEMS ? boundValue(item, type.ofType) : item))
      : boundValue(value, type.ofType)
  }
  if (isInputObjectType(type) && !Array.isArray(value)) return boundObject(value as Members, type)
  return type.name === OF_OBJECTS ? firstMembers(value, MOST_VALUES) : beginningOf(value, 0)
}

function boundObject(value: Members, type: GraphQLInputObjectType): Members {
  const fields = type.getFields()
  const members = Object.values(fields).flatMap((field) =>
    Object.hasOwn(value, field.name)
      ? [[field.name, boundValue(value[field.name], field.type)] as const]
      : [],
  )
  const stranger = firstStranger(value, fields)
  return Object.fromEntries(stranger === undefined ? members : [...members, [stranger, value[stranger]]])
}

function firstStranger(value: Members, fields: object): string | undefined {
  for (const name in value) if (!Object.hasOwn(fields, name)) return name
  return undefined
}

function beginningOf(value: unknown, depth: number): unknown {
  if (!isObject(value) || depth > DEEPEST) return value
  if (Array.isArray(value))
    return value.slice(0, MOST_MEMBERS).map((item: unknown) => beginningOf(item, depth + 1))
  const members = Object.entries(firstMembers(value, MOST_MEMBERS))
  return Object.fromEntries(members.map(([name, member]) => [name, beginningOf(member, depth + 1)]))
}

/** The same object when it has no more. */
function firstMembers(value: object, most: number): object {
  if (Array.isArray(value)) return value
  const names: string[] = []
  for (const name in value) {
    if (names.length === most)
      return Object.fromEntries(names.map((each) => [each, (value as Members)[each]]))
    names.push(name)
  }
  return value
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
