import { z } from 'zod'
import { plannerTools } from './planner-tools.js'
import type { Tool, ToolSet } from './tool.js'
import { workerTools } from './worker-tools.js'

/** A tool as `tools/list` answers it. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObjectSchema
  readonly outputSchema: JsonObjectSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

interface JsonObjectSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** All tools, by name. */
export const toolsByName: ReadonlyMap<string, Tool> = new Map(
  [...workerTools, ...plannerTools].map((each) => [each.name, each]),
)

/** What does not help a model to choose or fill in a value. The board checks it. */
const LEFT_OUT = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const

/** Of an answer, the names and the types are enough: each definition costs every conversation its tokens. */
const LEFT_OUT_OF_OUTPUTS = ['description', 'enum', 'minimum', 'maximum', 'propertyNames'] as const

const definitions: ReadonlyMap<string, ToolDefinition> = new Map(
  [...toolsByName].map(([name, each]) => [name, definitionOf(each)]),
)

/**
 * The definitions that a caller sees: the tools of the sets that its scopes allow. Whoever cannot write to tasks works none, and
 * gets the reading tools of both sets.
 */
export function definitionsFor(
  sets: readonly ToolSet[],
  scopes: readonly string[] | null,
): readonly ToolDefinition[] {
  const isReader = scopes !== null && !scopes.includes('tasks:write')
  return [...toolsByName.values()]
    .filter(({ set, scope }) => (scopes?.includes(scope) ?? true) && (isReader || sets.includes(set)))
    .flatMap(({ name }) => definitions.get(name) ?? [])
}

function definitionOf({ name, description, input, output, hints }: Tool): ToolDefinition {
  return {
    name,
    description,
    inputSchema: schemaOf(input, 'input'),
    outputSchema: schemaOf(output, 'output'),
    annotations: { ...hints },
  }
}

function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): JsonObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      for (const name of LEFT_OUT) delete jsonSchema[name]
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (io === 'input') return
      for (const name of LEFT_OUT_OF_OUTPUTS) delete jsonSchema[name]
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return json as JsonObjectSchema
}
