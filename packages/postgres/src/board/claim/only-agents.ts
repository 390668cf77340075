import type { Task } from '@taskboard/core'

/** After a guess was wrong, so many claims of the type make none. */
const CLAIMS_WITHOUT_GUESS = 100

export interface OnlyAgent {
  readonly workspaceId: string
  readonly agentId: string
}

/**
 * Guesses which agent is the only one of its type: then a claim by type is a claim for that agent, which is cheaper. The guess is the
 * agent that took the last tasks; the statement checks it, and changes nothing when it is wrong.
 */
export interface OnlyAgents {
  guess(agentType: string): OnlyAgent | undefined
  /** The tasks of a claim by type. */
  learn(agentType: string, tasks: readonly Task[]): void
  wrong(agentType: string): void
}

export function createOnlyAgents(): OnlyAgents {
  const guesses = new Map<string, OnlyAgent>()
  const waits = new Map<string, number>()
  return {
    guess: (agentType) => guesses.get(agentType),
    learn(agentType, tasks) {
      const wait = waits.get(agentType) ?? 0
      if (wait > 1) waits.set(agentType, wait - 1)
      else waits.delete(agentType)
      const [first, ...others] = new Set(tasks.map(({ lease }) => lease?.agentId))
      const workspaceId = tasks[0]?.workspaceId
      if (wait > 0 || first === undefined || workspaceId === undefined || others.length > 0) return
      guesses.set(agentType, { workspaceId, agentId: first })
    },
    wrong(agentType) {
      guesses.delete(agentType)
      waits.set(agentType, CLAIMS_WITHOUT_GUESS)
    },
  }
}
