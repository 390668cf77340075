import { useState } from 'preact/hooks'
import { client } from '../state/api.js'
import { isOf, taskIdOf } from '../state/live.js'
import { useMessages, useReload } from '../state/use-messages.js'
import type { TaskDetail } from '../state/wire.js'
import { useLoaded, type Loaded } from '../ui/states.js'

/** A task that follows what happens to it. */
export interface LiveTask extends Loaded<TaskDetail> {
  /** It doesn't exist, or not any more. */
  readonly isGone: boolean
}

/** Reads a task, and again when it changes. */
export function useTask(id: string): LiveTask {
  const loaded = useLoaded((signal) => client.tasks.get(id, { signal }), [id])
  const [isDeleted, setDeleted] = useState(false)
  useMessages((message) => {
    if (taskIdOf(message) !== id) return
    if (message.type === 'task.deleted') setDeleted(true)
    if (message.type === 'task.progress') {
      const { progress } = message
      loaded.change((task) => ({ ...task, progress }))
    }
  })
  useReload(loaded.reload, (message) => {
    // Lines of the log are not sent again.
    if (message.type === 'subscribed') return true
    if (message.type === 'task.completed' || message.type === 'task.deleted') {
      // Also one that it waits for: it may be free now.
      if (loaded.value?.depends_on.includes(taskIdOf(message) ?? '') === true) return true
    }
    if (taskIdOf(message) !== id) return false
    return !isOf(message, 'task.log', 'task.progress', 'task.deleted', 'task.commented')
  })
  return { ...loaded, isGone: isDeleted || loaded.failure?.status === 404 }
}
