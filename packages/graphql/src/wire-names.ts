/** A JSON object whose members are known to nobody but the operation. */
export type WireObject = Readonly<Record<string, unknown>>

/** Names that are not just another spelling of those on the wire. */
const toWireNames: Readonly<Record<string, string>> = {
  leaseSeconds: 'lease_s',
  overlapSeconds: 'overlap_s',
}
const fromWireNames = new Map(Object.entries(toWireNames).map(([name, wire]) => [wire, name]))
/** Whatever names its members have are their owner's. */
const AS_IS = 'metadata'

/** The name on the wire of REST: `assignedTo` is `assigned_to` there. */
export function toWireName(name: string): string {
  return toWireNames[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The name of GraphQL for a name on the wire of REST. */
export function fromWireName(name: string): string {
  return (
    fromWireNames.get(name) ?? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  )
}

/** An input with its members' names on the wire; what is undefined is left out. */
export function toWire(input: WireObject): WireObject {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [toWireName(name), value]),
  )
}

/** An answer, through and through, with the names of GraphQL. */
export function fromWire(answer: object): WireObject {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      fromWireName(name),
      name === AS_IS ? value : valueFromWire(value),
    ]),
  )
}

function valueFromWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueFromWire)
  return typeof value === 'object' && value !== null ? fromWire(value) : value
}
