import * as z from 'zod'
import { actorKinds, columns, type Actor } from './vocabulary.js'

export interface OfTask {
  readonly taskId: string
  readonly title: string
}

export const ofTask = { task_id: z.string(), title: z.string() }
export const column = z.enum(columns)
export const actor = z.object({ kind: z.enum(actorKinds), id: z.string().nullable() })
export const namedActor = actor.extend({ name: z.string().nullable() })

export const SYSTEM: Actor = { kind: 'system', id: null }
export const sampleTask = { taskId: 'task_sample', title: 'A sample task' }
