import { z } from 'zod'
import { commentKinds, type Comment } from '../board/index.js'
import { actorKinds } from '../events/index.js'
import { timestamp, toTimestamp } from './enterprise/wire-schemas.js'

/** A comment in an answer. */
export const commentJson = z
  .object({
    id: z.string(),
    task_id: z.string(),
    author: z.object({
      kind: z.enum(actorKinds),
      id: z.string().nullable(),
      name: z.string().nullable().meta({ description: 'As it was when the comment was written.' }),
    }),
    kind: z.enum(commentKinds),
    body: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'Comment' })

export function toWireComment(comment: Comment): z.output<typeof commentJson> {
  const { kind, id, name } = comment.author
  return {
    id: comment.id,
    task_id: comment.taskId,
    author: { kind, id, name },
    kind: comment.kind,
    body: comment.body,
    created_at: toTimestamp(comment.createdAt),
  }
}
