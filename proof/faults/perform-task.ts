import { TOKENS_PER_REPORT, type Script } from './messages.js'
import type { Observation } from './observations.js'

/** What a run can do, in the process of the board and over HTTP alike. */
export interface RunDoor {
  readonly taskId: string
  readonly token: number
  readonly attempt: number
  readonly answer: string | null
  readonly script: Script
  log(message: string): Promise<void>
  use(tokens: number): Promise<void>
  ask(question: string): Promise<never>
  request(
    action: string,
  ): Promise<{ readonly approvalId: string; readonly decision: 'approved' | 'rejected' }>
  sleep(ms: number): Promise<void>
  complete(result: string): Promise<unknown>
}

export const resultOf = (token: number): string => `done under ${token}`
export const MODEL = 'proof'

/** Follows the script of the task, and reports what was acknowledged. Returns the result. */
export async function performTask(
  door: RunDoor,
  by: string,
  observe: (observation: Observation) => void,
): Promise<string> {
  const { taskId, token, script } = door
  observe({ kind: 'claimed', taskId, token, by })
  if (door.attempt <= script.failures) throw new Error('as the script says')
  if (script.logs) {
    const message = `begun under ${token}`
    await door.log(message)
    observe({ kind: 'logged', taskId, token, message })
  }
  await door.sleep(script.workMs)
  if (script.uses) {
    observe({ kind: 'using', taskId, token })
    await door.use(TOKENS_PER_REPORT)
    observe({ kind: 'used', taskId, token })
  }
  if (script.asks) {
    if (door.answer === null) return door.ask('which one?')
    observe({ kind: 'heard answer', taskId, body: door.answer })
  }
  if (script.needsApproval) {
    const { approvalId, decision } = await door.request('deploy')
    observe({ kind: 'permitted', taskId, token, approvalId, decision })
  }
  const result = resultOf(token)
  if (script.completes) {
    await door.complete(result)
    observe({ kind: 'completed', taskId, token, result })
  }
  return result
}
