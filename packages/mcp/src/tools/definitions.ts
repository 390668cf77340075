import { z } from 'zod'
import { agentTools } from './agent-tools.js'
import { plannerTools } from './planner-tools.js'
import type { Tool, ToolSet } from './tool.js'
import { workerTools } from './worker-tools.js'

/** A tool as `tools/list` returns it. */
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

/** All tools, by name. A caller has those that `offeredTool` finds. */
export const toolsByName: ReadonlyMap<string, Tool> = new Map(
  [...agentTools, ...workerTools, ...plannerTools].map((each) => [each.name, each]),
)

/** Parts that don't help a model to choose or fill in a value. The board checks it. */
const LEFT_OUT = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const

/** A bound that no model comes near. */
const LARGEST_SHOWN = 1_000_000

/** Of an answer, the names and the types are enough: each definition costs every conversation its tokens. All members are present. */
const LEFT_OUT_OF_OUTPUTS = [
  'description',
  'enum',
  'minimum',
  'maximum',
  'propertyNames',
  'required',
  'additionalProperties',
] as const

const definitions: ReadonlyMap<string, ToolDefinition> = new Map(
  [...toolsByName].map(([name, each]) => [name, definitionOf(each)]),
)

/**
 * The tool of a name, if the sets of a caller have it. Anyone who can't write to tasks works none, and has the reading tools of both
 * sets. Tools beyond the scopes are offered here, so that a call gets the missing scope in its error.
 */
export function offeredTool(
  name: string,
  sets: readonly ToolSet[],
  scopes: readonly string[] | null,
): Tool | null {
  const tool = toolsByName.get(name)
  return tool !== undefined && isOffered(tool, sets, scopes) ? tool : null
}

function isOffered(tool: Tool, sets: readonly ToolSet[], scopes: readonly string[] | null): boolean {
  const isReader = scopes !== null && !scopes.includes('tasks:write')
  return (isReader && tool.scope !== 'tasks:write') || tool.sets.some((each) => sets.includes(each))
}

/**
 * The definitions that a caller sees: of the tools that it is offered, those that its scopes allow. `null` is all scopes.
 * @example
 * ```ts
 * import { mcpTools } from '@taskboard/mcp'
 *
 * const [first] = mcpTools(['worker'], ['tasks:read', 'tasks:write'])
 * console.log(first?.name) // claim_task
 * ```
 */
export function definitionsFor(
  sets: readonly ToolSet[],
  scopes: readonly string[] | null,
): readonly ToolDefinition[] {
  return [...toolsByName.values()]
    .filter((each) => (scopes?.includes(each.scope) ?? true) && isOffered(each, sets, scopes))
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

/** A model leaves out what it doesn't have, even where the board takes null for it. */
function dropNull(schema: z.core.JSONSchema.JSONSchema): void {
  const [first, second, ...others] = schema.anyOf ?? []
  if (first === undefined || second?.type !== 'null' || others.length > 0) return
  delete schema.anyOf
  Object.assign(schema, first)
}

function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): JsonObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      for (const name of LEFT_OUT) delete jsonSchema[name]
      if (Number(jsonSchema.maximum) >= LARGEST_SHOWN) delete jsonSchema.maximum
      if (jsonSchema.minimum === 0) delete jsonSchema.minimum
      if (io === 'input') return dropNull(jsonSchema)
      for (const name of LEFT_OUT_OF_OUTPUTS) delete jsonSchema[name]
    },
  })
  return json as unknown as JsonObjectSchema
}
