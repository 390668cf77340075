/**
 * Faults that the simulation has to find. Each is made in a copy while it is compiled: `from` is a text of `file` that occurs there once, `to` takes
 * its place. Nothing of it is in the packages.
 */
export const plantedBugs = [
  {
    name: 'no fencing',
    rules: ['no stale write is accepted'],
    file: 'packages/core/src/board/transition.ts',
    changes: [
      {
        from: 'if (lease !== null && lease.fencingToken === fencingToken && lease.expiresAt > now) return',
        to: 'if (lease !== null && lease.expiresAt > now) return',
      },
    ],
  },
  {
    name: 'no check of the lease at completion',
    rules: ['no stale write is accepted'],
    file: 'packages/core/src/board/transition.ts',
    changes: [
      {
        from: `requireLease(task, command.fencingToken, now)
      return complete(`,
        to: `if (task.lease?.fencingToken !== command.fencingToken) requireLease(task, command.fencingToken, now)
      return complete(`,
      },
    ],
  },
  {
    name: 'send before commit',
    rules: ['nothing is sent before its commit'],
    file: 'packages/memory/src/webhooks/webhook-store.ts',
    changes: [
      {
        from: 'claimDueDeliveries: (request, call) => write(call, (now) => claims.claimDue(request, now)),',
        to: 'claimDueDeliveries: async (request, call) => claims.claimDue(request, call.now ?? 0),',
      },
    ],
  },
  {
    name: 'event outside the transaction',
    rules: ['the log has every change', 'what fails leaves no event'],
    file: 'packages/memory/src/tables/event-log.ts',
    changes: [{ from: "      journal.note(reversible, '', undefined)\n", to: '' }],
  },
  {
    name: 'an approval used twice',
    rules: ['an approval is used once'],
    file: 'packages/memory/src/board/approval-store.ts',
    changes: [{ from: '      tables.approvals.set(used.id, used)\n', to: '' }],
  },
  {
    name: 'an occurrence made twice',
    rules: ['an occurrence is made once'],
    file: 'packages/memory/src/board/schedule-store.ts',
    changes: [
      {
        from: 'schedule?.workspaceId !== workspaceId || schedule.nextAt !== nextAt',
        to: 'schedule?.workspaceId !== workspaceId',
      },
      { from: 'occur(schedule, last ?? null, now)', to: 'occur({ ...schedule, nextAt }, last ?? null, now)' },
    ],
  },
  {
    name: 'limit off by one',
    rules: ['a limit is exact'],
    file: 'packages/core/src/limits/window.ts',
    changes: [{ from: 'if (window.count >= limit) {', to: 'if (window.count > limit) {' }],
  },
  {
    name: 'replay off by one',
    rules: ['a reader resumes where it was'],
    file: 'packages/core/src/realtime/catch-up.ts',
    changes: [{ from: 'afterSeq: logSubscription.position,', to: 'afterSeq: logSubscription.position + 1,' }],
  },
  {
    name: 'a retry lost',
    rules: ['no retry is lost'],
    file: 'packages/core/src/webhooks/retry-schedule.ts',
    changes: [
      {
        from: 'const delayMs = schedule.delaysMs[attemptCount - 1]',
        to: 'const delayMs = schedule.delaysMs[attemptCount]',
      },
    ],
  },
  {
    name: 'a lost wake-up',
    rules: ['no wake-up is lost'],
    file: 'packages/core/src/environment/background-loop.ts',
    changes: [{ from: "if (woken || next === 'now') launch()", to: "if (next === 'now') launch()" }],
  },
]

/** The text of a file with a bug in it. @throws Error when the text that it changes is not there exactly once. */
export function withBug(text, { name, file, changes }) {
  return changes.reduce((changed, { from, to }) => {
    const parts = changed.split(from)
    if (parts.length !== 2)
      throw new Error(`${name}: ${file} has the text ${parts.length - 1} times: ${from}`)
    return parts.join(to)
  }, text)
}
