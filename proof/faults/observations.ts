/** What clients, agents, readers and the receiver saw from outside: nothing of it comes from the database. */
export type Observation =
  /** A key, and the tasks that it is to create; each has the title `<key> #<n>`. */
  | { readonly kind: 'creating'; readonly key: string; readonly count: number }
  | { readonly kind: 'created'; readonly key: string; readonly taskIds: readonly string[] }
  /** `value` grows with each update of one task. `isCertain`: no attempt at it may still arrive. */
  | {
      readonly kind: 'updated'
      readonly taskId: string
      readonly value: number
      readonly isAcknowledged: boolean
      readonly isCertain: boolean
    }
  | { readonly kind: 'cancelled'; readonly taskId: string }
  /** The title of its tasks is unique. Before it is sent, and when it was acknowledged. */
  | { readonly kind: 'scheduling' | 'scheduled'; readonly title: string }
  /** The body is unique. Before it is sent, and when it was acknowledged. */
  | { readonly kind: 'commenting' | 'commented'; readonly taskId: string; readonly body: string }
  | { readonly kind: 'answering' | 'answered'; readonly taskId: string; readonly body: string }
  | {
      readonly kind: 'deciding' | 'decided'
      readonly approvalId: string
      readonly decision: 'approved' | 'rejected'
    }
  /** A run has begun under this claim. */
  | { readonly kind: 'claimed'; readonly taskId: string; readonly token: number; readonly by: string }
  | { readonly kind: 'logged'; readonly taskId: string; readonly token: number; readonly message: string }
  | { readonly kind: 'using' | 'used'; readonly taskId: string; readonly token: number }
  /** What a run got for its request. */
  | {
      readonly kind: 'permitted'
      readonly taskId: string
      readonly token: number
      readonly approvalId: string
      readonly decision: 'approved' | 'rejected'
    }
  | { readonly kind: 'heard answer'; readonly taskId: string; readonly body: string }
  | { readonly kind: 'completed'; readonly taskId: string; readonly token: number; readonly result: string }
  /** Schedules that were made due, each once. Not certain: perhaps they were. */
  | { readonly kind: 'made due'; readonly scheduleIds: readonly string[]; readonly isCertain: boolean }
  /** A request of one key was admitted at some time between the two. */
  | { readonly kind: 'admitted'; readonly key: string; readonly sentMs: number; readonly answeredMs: number }
  /** An answer that nothing promises, or none where one is. */
  | { readonly kind: 'wrong answer'; readonly what: string }
  | { readonly kind: 'right answer'; readonly count: number }
  /** A complete request at the receiver. */
  | {
      readonly kind: 'received'
      readonly deliveryId: string
      readonly type: string
      readonly digest: string
      readonly isSigned: boolean
      readonly isAccepted: boolean
      readonly atMs: number
    }
  /** A reader saw an event. A listener's name has the life of its process; only the others see all. */
  | {
      readonly kind: 'saw'
      readonly reader: string
      readonly by: 'feed' | 'channel' | 'listener'
      readonly workspaceId: string
      readonly seq: number
    }
  /** A reader of a channel began behind this event, or found some missing. */
  | { readonly kind: 'began'; readonly reader: string; readonly seq: number }
  | { readonly kind: 'missed'; readonly reader: string; readonly what: string }
  /** A process ended that nobody had killed, or did not end when it was asked to. */
  | { readonly kind: 'ended'; readonly process: string; readonly how: string; readonly isExpected: boolean }
  | { readonly kind: 'came to rest'; readonly left: readonly string[] }

export type Kind = Observation['kind']
type WithKind<O, K> = O extends { readonly kind: infer Own } ? (K extends Own ? O : never) : never
export type ObservationOf<K extends Kind> = WithKind<Observation, K>

/** All observations of a run, by kind. */
export interface Journal {
  record(observation: Observation): void
  of<K extends Kind>(kind: K): readonly ObservationOf<K>[]
}

export function createJournal(first: Iterable<Observation> = []): Journal {
  const lists = new Map<Kind, Observation[]>()
  const record = (observation: Observation): void => {
    const list = lists.get(observation.kind)
    if (list === undefined) lists.set(observation.kind, [observation])
    else list.push(observation)
  }
  for (const observation of first) record(observation)
  return {
    record,
    of: <K extends Kind>(kind: K) => (lists.get(kind) ?? []) as unknown as readonly ObservationOf<K>[],
  }
}
