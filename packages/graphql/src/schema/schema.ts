import { defaultRetrySchedule } from '@taskboard/core'
import { requireScope } from '@taskboard/core/transport'
import { extendSchema, GraphQLSchema, isObjectType, parse, type GraphQLFieldResolver } from 'graphql'
import type { GraphqlContext } from '../graphql-context.js'
import { accountPart } from './account-part.js'
import { agentPart } from './agent-part.js'
import { budgetPart } from './budget-part.js'
import { conversationPart } from './conversation-part.js'
import { eventPart } from './event-part.js'
import type { FieldPlan, FieldResolver, SchemaPart } from './field-plan.js'
import { schedulePart } from './schedule-part.js'
import { taskPart } from './task-part.js'
import { taskWorkPart } from './task-work-part.js'
import { valueTypes } from './value-types.js'
import { webhookPart } from './webhook-part.js'
import { workspacePart } from './workspace-part.js'

const ROOT = /* GraphQL */ `
  schema {
    query: Query
    mutation: Mutation
    subscription: Subscription
  }
`

/** Sizes that the host's options set. The cost of a document depends on them, the schema's text doesn't. */
export interface SchemaBounds {
  /** Attempts of one webhook delivery. */
  readonly maxDeliveryAttempts: number
}

const DEFAULT_BOUNDS: SchemaBounds = { maxDeliveryAttempts: defaultRetrySchedule.delaysMs.length + 1 }

/**
 * The schema of the task board. Its resolvers expect the context that the endpoint creates. The types and descriptions don't
 * depend on the context.
 * @example
 * ```ts
 * import { taskboardSchema } from '@taskboard/graphql'
 * import { printSchema } from 'graphql'
 *
 * const sdl = printSchema(taskboardSchema())
 * console.log(sdl.includes('type Task {')) // true
 * ```
 */
export function taskboardSchema(bounds: SchemaBounds = DEFAULT_BOUNDS): GraphQLSchema {
  const parts: readonly SchemaPart[] = [
    workspacePart,
    taskPart,
    taskWorkPart,
    conversationPart,
    schedulePart,
    agentPart,
    budgetPart,
    webhookPart(bounds.maxDeliveryAttempts),
    accountPart,
    eventPart,
  ]
  const text = [ROOT, ...parts.map(({ types }) => types)].join('\n')
  const schema = extendSchema(new GraphQLSchema({ types: valueTypes }), parse(text))
  for (const { fields } of parts) {
    for (const [type, plans] of Object.entries(fields)) attach(schema, type, plans)
  }
  return schema
}

function attach(schema: GraphQLSchema, typeName: string, plans: SchemaPart['fields'][string]): void {
  const type = schema.getType(typeName)
  if (!isObjectType(type)) throw new TypeError(`no type ${typeName}`)
  const fields = type.getFields()
  for (const [name, declared] of Object.entries(plans)) {
    const field = fields[name]
    if (field === undefined) throw new TypeError(`no field ${typeName}.${name}`)
    const plan: FieldPlan = typeof declared === 'function' ? { resolve: declared } : declared
    const { weight, size } = plan
    const resolve = resolverOf(plan.resolve, plan, name)
    if (resolve !== undefined) field.resolve = resolve
    const subscribe = plan.subscribe && resolverOf(plan.subscribe, plan, name)
    if (subscribe !== undefined) field.subscribe = subscribe
    field.extensions = { ...field.extensions, taskboard: { weight, size } }
  }
}

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext>

function resolverOf(
  resolve: FieldResolver | undefined,
  { scope }: FieldPlan,
  name: string,
): Resolver | undefined {
  const inner = resolve as ((...values: readonly unknown[]) => unknown) | undefined
  if (scope === undefined) return inner as Resolver | undefined
  return (source, args, context) => {
    requireScope(context.principal, scope)
    return inner === undefined ? (source as Record<string, unknown>)[name] : inner(source, args, context)
  }
}
