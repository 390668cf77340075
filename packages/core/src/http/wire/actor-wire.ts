import { z } from 'zod'
import type { NamedActor } from '../../board/index.js'
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
