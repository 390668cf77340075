/** A JSON object whose members only the operation knows. */
export type WireObject = Readonly<Record<string, unknown>>

/** Names that differ from the wire names by more than spelling. */
const toWireNames: Readonly<Record<string, string>> = {
  leaseSeconds: 'lease_s',
  overlapSeconds: 'overlap_s',
}
const fromWireNames = new Map(Object.entries(toWireNames).map(([name, wire]) => [wire, name]))
/** The names of their members belong to their owner: `input` belongs to an approval, whose digest includes them. */
const AS_IS: ReadonlySet<string> = new Set(['metadata', 'input'])

/** The wire name of REST: `assignedTo` becomes `assigned_to`. */
export function toWireName(name: string): string {
  return toWireNames[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The GraphQL name for a wire name of REST. */
export function fromWireName(name: string): string {
  return (
    fromWireNames.get(name) ?? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  )
}

/** An input with wire names at every level, without undefined members. */
export function toWire(input: WireObject): WireObject {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [toWireName(name), AS_IS.has(name) ? value : valueToWire(value)]),
  )
}

function valueToWire(value: unknown): unknown {
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  return isObject ? toWire(value as WireObject) : value
}

/** A response with GraphQL names at every level. */
export function fromWire(answer: object): WireObject {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      fromWireName(name),
      AS_IS.has(name) ? value : valueFromWire(value),
    ]),
  )
}

function valueFromWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueFromWire)
  return typeof value === 'object' && value !== null ? fromWire(value) : value
}
