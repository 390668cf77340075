import { setImmediate as nextTurn } from 'node:timers/promises'
import { openAuthenticated, type Message } from './realtime-client.js'

export interface CutAndResumeOptions {
  readonly url: string
  readonly key: string
  /** Of which `workspace.…` is followed as well as `tasks`. */
  readonly workspaceId: string
  readonly cuts: number
  /** Below `bound`. */
  readonly random: (bound: number) => number
  /** Says whether all that will ever happen has been told: by channel and workspace the last `seq`. */
  readonly isComplete: (told: Told) => Promise<boolean>
}

/** By `channel workspace_id` the places of what was told, in the order in which it came. */
export type Told = ReadonlyMap<string, readonly number[]>

interface Positions {
  readonly tasks: Record<string, number>
  workspace: number
}

/**
 * A client that is cut off again and again, at any moment, and goes on with `since` from what it has had: what it was told over
 * all its connections.
 */
export async function cutAndResume(options: CutAndResumeOptions): Promise<Told> {
  const { url, key, workspaceId, cuts, random } = options
  const channel = `workspace.${workspaceId}`
  const told = new Map<string, number[]>()
  let positions: Positions | null = null

  function note(message: Message): void {
    const { type, channel: on = '', workspace_id: of = '', seq } = message
    if (type === 'error' || type === 'gap') throw new Error(JSON.stringify(message))
    if (type === 'subscribed') {
      positions ??= { tasks: {}, workspace: 0 }
      if (typeof seq === 'number') positions.workspace = seq
      else Object.assign(positions.tasks, seq)
    }
    if (positions === null || typeof seq !== 'number' || of === '') return
    const list = told.get(`${on} ${of}`) ?? []
    told.set(`${on} ${of}`, list)
    list.push(seq)
    if (on === 'tasks') positions.tasks[of] = seq
    else positions.workspace = seq
  }

  for (let cut = 0; ; cut++) {
    const client = await openAuthenticated(url, key)
    const since: Record<string, unknown> | undefined =
      positions === null
        ? undefined
        : { tasks: { ...(positions as Positions).tasks }, [channel]: (positions as Positions).workspace }
    client.say({ type: 'subscribe', channels: ['tasks', channel], ...(since && { since }) })
    if (cut === 0)
      await client.heard((message) => message.type === 'subscribed' && message.channel === channel)
    if (cut >= cuts) {
      let noted = 0
      while (!(await options.isComplete(told))) {
        for (; noted < client.messages.length; noted++) note(client.messages[noted] as Message)
        await nextTurn()
      }
      client.cut()
      return told
    }
    for (let turns = random(60); turns > 0; turns--) await nextTurn()
    client.cut()
    await client.closed
    for (const message of client.messages) note(message)
  }
}
