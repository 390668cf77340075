import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { openAuthenticated, type Message } from './client.js'

export interface CutAndResumeOptions {
  readonly url: string
  readonly key: string
  /** Followed by `workspace.…` as well as by `tasks`. */
  readonly workspaceId: string
  readonly cuts: number
  /** Below `bound`. */
  readonly random: (bound: number) => number
  /** Whether every event has arrived, by the last `seq` of each channel and workspace. */
  readonly isComplete: (received: ReceivedSeqs) => Promise<boolean>
}

/** The `seq`s of received events by `channel workspace_id`, in the order of arrival. */
export type ReceivedSeqs = ReadonlyMap<string, readonly number[]>

interface Positions {
  readonly tasks: Record<string, number>
  workspace: number
}

/**
 * A client that is cut off repeatedly, at any moment, and resumes with `since` from what it has received. Returns what it received
 * over all its connections.
 */
export async function cutAndResume(options: CutAndResumeOptions): Promise<ReceivedSeqs> {
  const { url, key, workspaceId, cuts, random } = options
  const channel = `workspace.${workspaceId}`
  const received = new Map<string, number[]>()
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
    const list = received.get(`${on} ${of}`) ?? []
    received.set(`${on} ${of}`, list)
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
      while (!(await options.isComplete(received))) {
        for (; noted < client.messages.length; noted++) note(client.messages[noted] as Message)
        await yieldToEventLoop()
      }
      client.cut()
      return received
    }
    for (let turns = random(60); turns > 0; turns--) await yieldToEventLoop()
    client.cut()
    await client.closed
    for (const message of client.messages) note(message)
  }
}
