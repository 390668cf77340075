/** Background work that a clock was told of. */
export interface Work {
  readonly label: string
  /** How much silence it is granted before it counts as parked. */
  readonly patienceMs: number
  /** Whether a timer of its own means that it waits for time. A webhook send's is only its time-out. */
  readonly parksOnTimers: boolean
  ended: boolean
  pendingTimers: number
  /** How many callers hold it parked. */
  parks: number
  parkedBySilence: boolean
  silentMs: number
  /** How long it has been awake since anything but a look at the clock happened to it. */
  awakeMs: number
}

/** Why work holds time up no longer: it waits for time, somebody parked it, or it has long been silent. */
export type ParkReason = 'timer' | 'parked' | 'silence'

/** Which work is under way, and which of it holds time up. */
export interface WorkRegistry {
  /** How many works are neither finished nor parked. */
  readonly awake: number
  /** Changes with every sign of life of any work. */
  readonly version: number
  begin(label: string): Work
  end(work: Work): void
  /** It looked at the clock, a sign of life: what was parked by silence is so no more. Looking for ever does not count. */
  looked(work: Work): void
  timerSet(work: Work): void
  timerCancelled(work: Work): void
  /** Time has moved it on: whatever parked it, it must be waited for again. */
  timerFired(work: Work): void
  /** Parks the works under way with this label; returns how to end that. Later works of the same label are not meant. */
  park(label: string): () => void
  /** Adds to the silence of all that is awake, and parks what has been silent for longer than its patience. */
  addSilence(ms: number): void
  list(): { label: string; parked: ParkReason | null }[]
}

export interface Patience {
  /** For an agent's run (labels `task_…`): it may well wait for something that the test does later. */
  readonly runMs: number
  /** For everything else: it waits for a socket or a storage, which answer. */
  readonly workMs: number
}

/** Work that does nothing but look at the clock is parked after this many times its patience. */
const PATIENCES_AWAKE = 20

export function createWorkRegistry(patience: Patience): WorkRegistry {
  const works = new Set<Work>()
  const awake = new Set<Work>()
  let version = 0

  function refresh(work: Work): void {
    version += 1
    if (!work.ended && reasonOf(work) === null) awake.add(work)
    else awake.delete(work)
  }

  function stirred(work: Work): void {
    work.silentMs = 0
    work.awakeMs = 0
    work.parkedBySilence = false
    refresh(work)
  }

  return {
    get awake() {
      return awake.size
    },
    get version() {
      return version
    },
    begin(label) {
      const work = newWork(label, patience)
      works.add(work)
      refresh(work)
      return work
    },
    end(work) {
      work.ended = true
      works.delete(work)
      refresh(work)
    },
    looked(work) {
      if (work.awakeMs >= PATIENCES_AWAKE * work.patienceMs) return
      work.silentMs = 0
      if (!work.parkedBySilence) return
      work.parkedBySilence = false
      refresh(work)
    },
    timerSet(work) {
      work.pendingTimers += 1
      stirred(work)
    },
    timerCancelled(work) {
      work.pendingTimers -= 1
      stirred(work)
    },
    timerFired(work) {
      work.pendingTimers -= 1
      work.parks = 0
      stirred(work)
    },
    park(label) {
      const parked = [...works].filter((work) => work.label === label)
      for (const work of parked) {
        work.parks += 1
        refresh(work)
      }
      return () => {
        for (const work of parked.splice(0)) {
          work.parks = Math.max(0, work.parks - 1)
          stirred(work)
        }
      }
    },
    addSilence(ms) {
      for (const work of awake) {
        work.silentMs += ms
        work.awakeMs += ms
        const isPatient = work.silentMs < work.patienceMs && work.awakeMs < PATIENCES_AWAKE * work.patienceMs
        if (isPatient) continue
        work.parkedBySilence = true
        refresh(work)
      }
    },
    list: () => [...works].map((work) => ({ label: work.label, parked: reasonOf(work) })),
  }
}

function newWork(label: string, patience: Patience): Work {
  return {
    label,
    patienceMs: label.startsWith('task_') ? patience.runMs : patience.workMs,
    parksOnTimers: !label.startsWith('evt_'),
    ended: false,
    pendingTimers: 0,
    parks: 0,
    parkedBySilence: false,
    silentMs: 0,
    awakeMs: 0,
  }
}

function reasonOf(work: Work): ParkReason | null {
  if (work.parksOnTimers && work.pendingTimers > 0) return 'timer'
  if (work.parks > 0) return 'parked'
  return work.parkedBySilence ? 'silence' : null
}
