import { toWire, type WireObject } from '../wire-names.js'

/** REST has the positions of earlier tasks among the ids. */
export function toListedTask({ follows, dependsOn, ...task }: WireObject): WireObject {
  const before = [dependsOn, follows].flatMap((entries) => (entries ?? []) as readonly unknown[])
  return toWire({ ...task, dependsOn: before })
}
