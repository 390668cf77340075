import { z } from 'zod'
import type { Principal } from '../../access/index.js'
import type { ActingAs, NamedActor } from '../../board/index.js'
import { nameFault } from '../../errors/index.js'
import { actorKinds } from '../../events/index.js'

/** Who made a change, in an answer. */
export const actorJson = z.object({ kind: z.enum(actorKinds), id: z.string().nullable() })

/** Who wrote, decided or took something, in an answer. */
export const namedActorJson = actorJson
  .extend({
    name: z.string().nullable().meta({ description: 'As it was at that time; null for none.' }),
  })
  .meta({ id: 'NamedActor' })

export function toWireNamed({ kind, id, name }: NamedActor): z.output<typeof namedActorJson> {
  return { kind, id, name }
}

/** Who a caller is, for what it changes. The name of a key may be one that people could not read. */
export function actorOf({ kind, id, name, createdBy: owner }: Principal): ActingAs {
  return name == null || nameFault(name) !== null ? { kind, id, owner } : { kind, id, name, owner }
}
