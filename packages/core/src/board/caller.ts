import type { Principal } from '../access/index.js'
import { nameFault } from '../errors/index.js'
import type { ActingAs } from './task.js'

/** Who a caller is, for what it changes. The name of a key may be one that people couldn't read. */
export function actorOf({ kind, id, name, createdBy: owner }: Principal): ActingAs {
  return name == null || nameFault(name) !== null ? { kind, id, owner } : { kind, id, name, owner }
}
