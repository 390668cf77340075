import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import {
  bearer,
  connectClient,
  listen,
  TASK_EVENTS,
  WORKSPACE_EVENTS,
  type Received,
} from '@taskboard/kit/graphql/socket-client'

export interface CutAndResumeOptions {
  readonly url: string
  readonly key: string
  /** Followed by `workspaceEvents` as well as `taskEvents`. */
  readonly workspaceId: string
  readonly cuts: number
  /** Below `bound`. */
  readonly random: (bound: number) => number
  /** Whether every event has arrived. */
  readonly isComplete: (received: ReceivedPlaces) => Promise<boolean>
}

/** The `seq`s of received events by `field workspaceId`, in the order of arrival. */
export type ReceivedPlaces = ReadonlyMap<string, readonly number[]>

/** A client that is cut off repeatedly, and resumes with `since` from what it has received. */
export async function cutAndResume(options: CutAndResumeOptions): Promise<ReceivedPlaces> {
  const { url, key, workspaceId, cuts, random } = options
  const received = new Map<string, number[]>()
  /** The last `seq` by `field workspaceId`. */
  const places = new Map<string, number>()

  function note(field: string, { events }: Received, from = 0): number {
    for (const { __typename, workspaceId: of, seq } of events.slice(from)) {
      if (__typename === 'EventGap') throw new Error('a gap')
      const name = `${field} ${of}`
      places.set(name, seq)
      if (__typename === 'EventsBegin') continue
      received.set(name, [...(received.get(name) ?? []), seq])
    }
    return events.length
  }

  for (let cut = 0; ; cut++) {
    const client = connectClient(url, bearer(key))
    const since = places.get(`workspaceEvents ${workspaceId}`)
    const all = [...places]
      .filter(([name]) => name.startsWith('taskEvents '))
      .map(([name, seq]) => ({ workspaceId: name.slice('taskEvents '.length), seq }))
    const ofWorkspace = listen(client, WORKSPACE_EVENTS, {
      workspaceId,
      ...(since !== undefined && { since }),
    })
    const ofAll = listen(client, TASK_EVENTS, all.length > 0 ? { since: all } : {})
    if (cut === 0) await Promise.all([ofWorkspace, ofAll].map((each) => each.until(() => true)))
    if (cut >= cuts) {
      let [fromWorkspace, fromAll] = [0, 0]
      while (!(await options.isComplete(received))) {
        fromWorkspace = note('workspaceEvents', ofWorkspace, fromWorkspace)
        fromAll = note('taskEvents', ofAll, fromAll)
        await yieldToEventLoop()
      }
      await client.dispose()
      return received
    }
    for (let turns = random(80); turns > 0; turns--) await yieldToEventLoop()
    client.cut()
    await Promise.all([ofWorkspace.ended, ofAll.ended])
    note('workspaceEvents', ofWorkspace)
    note('taskEvents', ofAll)
  }
}
