import type { Document, Schema } from '../document.js'

/** A row of a table of fields or parameters. */
export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly description?: string | undefined
}

/** The fields of a body, also where it is a component. */
export function fieldsOf(schema: Schema, document: Document): readonly Field[] {
  const { properties = {}, required = [] } = resolved(schema, document)
  return Object.entries(properties).map(([name, member]) => ({
    name,
    schema: member,
    required: required.includes(name),
    description: resolved(member, document).description,
  }))
}

/** The rows of a table: name, type with limits, meaning. */
export function fieldTable(fields: readonly Field[], document: Document): string {
  const rows = fields.map(({ name, schema, required, description = '' }) => {
    const type = typeText(schema, document)
    return `| \`${name}\` | ${type}${required ? ', required' : ''} | ${description.replaceAll('|', '\\|')} |`
  })
  return ['| Name | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

function resolved(schema: Schema, { components }: Document): Schema {
  const [, name] = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '') ?? []
  const target = name === undefined ? undefined : components.schemas[name]
  return target === undefined
    ? schema
    : { ...target, ...(schema.description && { description: schema.description }) }
}

/** `text, 1 to 64 characters`, `"high" or "low"`, `list of text`. Null is left out: every optional member can be null. */
function typeText(given: Schema, document: Document): string {
  const schema = resolved(given, document)
  const { anyOf, enum: values, const: only, items } = schema
  if (anyOf !== undefined)
    return [
      ...new Set(anyOf.filter(({ type }) => type !== 'null').map((each) => typeText(each, document))),
    ].join(' or ')
  if (values !== undefined)
    return values
      .filter((value) => value !== null)
      .map((value) => `\`${wordOf(value)}\``)
      .join(', ')
  if (only !== undefined) return `\`${wordOf(only)}\``
  const [type] = [schema.type ?? 'object'].flat().filter((each) => each !== 'null')
  if (type === 'array') return `list of ${typeText(items ?? {}, document)}${rangeText(schema)}`
  if (type === 'string')
    return `${schema.format === undefined ? 'text' : formatText(schema.format)}${rangeText(schema)}`
  if (type === 'integer') return `whole number${rangeText(schema)}`
  return `${type === 'boolean' ? 'true or false' : (type ?? 'object')}${rangeText(schema)}`
}

const formatText = (format: string): string =>
  ({ 'date-time': 'time', date: 'day', uri: 'URL', email: 'mail address' })[format] ?? format

const number = (value: number): string => value.toLocaleString('en')

function rangeText({ minLength, maxLength, minimum, maximum, minItems, maxItems }: Schema): string {
  const unit = maxLength === undefined && minLength === undefined ? '' : ' characters'
  const least = minLength ?? minimum ?? minItems
  const most = maxLength ?? maximum ?? maxItems
  const bounded = most !== undefined && Math.abs(most) < Number.MAX_SAFE_INTEGER
  if (!bounded)
    return least === undefined || least <= 0 || minLength === 1 ? '' : `, at least ${number(least)}`
  if (
    least === undefined ||
    least <= -Number.MAX_SAFE_INTEGER ||
    (least === 0 && unit + (minItems ?? '') !== '')
  )
    return `, at most ${number(most)}${unit}`
  return `, ${number(least)} to ${number(most)}${unit}`
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
