interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
}

const DEEPEST = 8

/** A JSON Schema in a short form like a JSON value: names, types, and `?` for optional members. */
export function shapeOf(schema: object, components: Readonly<Record<string, object>>): string {
  return shape(schema, components, 0)
}

function shape(schema: Schema, components: Readonly<Record<string, object>>, depth: number): string {
  if (depth > DEEPEST) return '…'
  if (schema.$ref !== undefined) {
    const target = components[schema.$ref.slice('#/components/schemas/'.length)]
    return target === undefined ? 'unknown' : shape(target, components, depth)
  }
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((each) => shape(each, components, depth)).join(' | ')
  if (schema.type === 'array') return `[${shape(schema.items ?? {}, components, depth)}, …]`
  if (schema.type === 'object') return objectShape(schema, components, depth)
  return schema.format ?? schema.type ?? 'anything'
}

function objectShape(
  { properties, required = [], additionalProperties }: Schema,
  components: Readonly<Record<string, object>>,
  depth: number,
): string {
  const indent = '  '.repeat(depth + 1)
  const lines = Object.entries(properties ?? {}).map(([name, member]) => {
    const note = member.description === undefined ? '' : `  // ${member.description}`
    const optional = required.includes(name) ? '' : '?'
    return `${indent}${name}${optional}: ${shape(member, components, depth + 1)}${note}`
  })
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0) {
    lines.push(`${indent}[name]: ${shape(additionalProperties, components, depth + 1)}`)
  }
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
}
