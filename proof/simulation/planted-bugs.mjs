import { plant } from '../mutants/plant.mjs'

/** Faults that the simulation has to find. Each is planted in a copy while it is compiled. Nothing of it is in the packages. */
export const plantedBugs = [
  {
    name: 'no fencing',
    rules: ['no stale write is accepted'],
    file: 'packages/core/src/board/transition.ts',
    faults: { requireLease: 'drop lease.fencingToken ===' },
  },
  {
    name: 'no check of the lease at completion',
    rules: ['no stale write is accepted'],
    file: 'packages/core/src/board/transition.ts',
    faults: {
      transition: `requireLease(task, command.fencingToken, now) return complete( -> if (task.lease?.fencingToken !== command.fencingToken) requireLease(task, command.fencingToken, now)
      return complete(`,
    },
  },
  {
    name: 'send before commit',
    rules: ['no request is sent before its commit'],
    file: 'packages/memory/src/webhooks/webhook-store.ts',
    faults: {
      claimDueDeliveries:
        '(request, call) => write(call, (now) => claims.claimDue(request, now)) -> async (request, call) => claims.claimDue(request, call.now ?? 0)',
    },
  },
  {
    name: 'event outside the transaction',
    rules: ['the log has every change', 'what fails leaves no event'],
    file: 'packages/memory/src/tables/event-log.ts',
    faults: { append: 'drop note(reversible' },
  },
  {
    name: 'an approval used twice',
    rules: ['an approval is used once'],
    file: 'packages/memory/src/board/approval-store.ts',
    faults: { answerRequest: 'drop approvals.set(used.id' },
  },
  {
    name: 'an occurrence made twice',
    rules: ['an occurrence is made once'],
    file: 'packages/memory/src/board/schedule-store.ts',
    faults: {
      makeOccurrence: 'drop schedule.nextAt !==',
      occurrence: 'schedule, -> { ...schedule, nextAt },',
    },
  },
  {
    name: 'limit off by one',
    rules: ['a limit is exact'],
    file: 'packages/core/src/limits/window.ts',
    faults: { takeFromWindow: 'count >= -> count >' },
  },
  {
    name: 'replay off by one',
    rules: ['a reader resumes where it was'],
    file: 'packages/core/src/realtime/catch-up.ts',
    faults: { query: 'logSubscription.position -> logSubscription.position + 1' },
  },
  {
    name: 'a retry lost',
    rules: ['no retry is lost'],
    file: 'packages/core/src/webhooks/retry-schedule.ts',
    faults: { retryDelayMs: 'attemptCount - 1 -> attemptCount' },
  },
  {
    name: 'a lost wake-up',
    rules: ['no wake-up is lost'],
    file: 'packages/core/src/environment/background-loop.ts',
    faults: { runOnce: 'woken || next -> next' },
  },
]

/** The text of a file with a bug in it. @throws Error when what it changes is gone. */
export function withBug(text, { name, faults }) {
  try {
    return Object.entries(faults).reduce((changed, [within, change]) => plant(changed, within, change), text)
  } catch (error) {
    throw new Error(`${name}: ${error.message}`, { cause: error })
  }
}
