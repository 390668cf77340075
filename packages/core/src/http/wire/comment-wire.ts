import { z } from 'zod'
import { commentKinds, type Comment } from '../../board/index.js'
import { namedActorJson, toWireNamed } from './actor-wire.js'
import { timestamp, toTimestamp } from './wire-schemas.js'

/** A comment in an answer. */
export const commentJson = z
  .object({
    id: z.string(),
    task_id: z.string(),
    author: namedActorJson,
    kind: z.enum(commentKinds),
    body: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'Comment' })

export function toWireComment(comment: Comment): z.output<typeof commentJson> {
  return {
    id: comment.id,
    task_id: comment.taskId,
    author: toWireNamed(comment.author),
    kind: comment.kind,
    body: comment.body,
    created_at: toTimestamp(comment.createdAt),
  }
}
