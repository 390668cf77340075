/** Background work that a clock tracks. */
export interface Work {
  readonly label: string
  /** How long it may be silent before it counts as parked. */
  readonly patienceMs: number
  /** Whether its own timer means that it waits for time. A webhook send's timer is only its timeout. */
  readonly parksOnTimers: boolean
  ended: boolean
  pendingTimers: number
  /** How many callers hold it parked. */
  parks: number
  parkedBySilence: boolean
  silentMs: number
  /** How long it has been awake since its last sign of life other than reading the clock. */
  awakeMs: number
}

/** Why work no longer holds time up: it waits for time, it was parked by a call, or it was silent too long. */
export type ParkReason = 'timer' | 'parked' | 'silence'

/** The running work, and which of it holds time up. */
export interface WorkRegistry {
  /** How many works are neither finished nor parked. */
  readonly awake: number
  /** Changes with every sign of life of any work. */
  readonly version: number
  begin(label: string): Work
  end(work: Work): void
  /** It read the clock: a sign of life, which ends a park by silence. Reading it forever doesn't count. */
  looked(work: Work): void
  timerSet(work: Work): void
  timerCancelled(work: Work): void
  /** Time has resumed it, so it holds time up again, whatever parked it. */
  timerFired(work: Work): void
  /** Parks the running works with this label; returns a function that ends that. Doesn't affect later works of the same label. */
  park(label: string): () => void
  /** Adds to the silence of all awake work, and parks what was silent for longer than its patience. */
  addSilence(ms: number): void
  list(): { label: string; parked: ParkReason | null }[]
}

export interface Patience {
  /** For an agent's run (labels `task_…`), which may wait for something that the test does later. */
  readonly runMs: number
  /** For everything else: it waits for a socket or a storage, which answer. */
  readonly workMs: number
  /** Called with work that is parked because it was silent. */
  readonly onSilent: (work: Pick<Work, 'label' | 'patienceMs'>) => void
}

/** Work that only reads the clock is parked after this many times its patience. */
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
        patience.onSilent(work)
      }
    },
    list: () => [...works].map((work) => ({ label: work.label, parked: reasonOf(work) })),
  }
}

function newWork(label: string, patience: Omit<Patience, 'onSilent'>): Work {
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
