import { createClient } from '@taskboard/client'
import { WebSocket } from 'ws'
import type { Script } from './messages.js'
import { MODEL, performTask } from './perform-task.js'
import { observe, options, serve } from './process-program.js'

// An agent outside of the board, which knows only the address of one API process and a key.
const { name, role } = options
if (role.kind !== 'worker') throw new Error(role.kind)
const LEASE_MS = 2_000
const CONCURRENCY = 3

const client = createClient({
  baseUrl: role.baseUrl,
  key: role.key,
  WebSocket,
  realtime: { firstDelayMs: 100, longestDelayMs: 1_000, pingMs: 1_000, answerMs: 1_000 },
  retry: { deadlineMs: 8_000, attemptTimeoutMs: 3_000, baseDelayMs: 50, maxDelayMs: 500 },
})
const worker = client.worker({
  agentId: role.agentId,
  concurrency: CONCURRENCY,
  leaseMs: LEASE_MS,
  pollMs: 1_000,
  onError: () => undefined,
  run: (task, context) =>
    performTask(
      {
        taskId: task.id,
        token: task.fencing_token,
        attempt: context.claim.attempt,
        answer: context.claim.answer?.body ?? null,
        script: JSON.parse(String(task.metadata['script'])) as Script,
        log: (message) => context.log(message),
        use: (tokens) => context.usage({ model: MODEL, input_tokens: tokens, output_tokens: 0 }),
        ask: (question) => context.ask(question),
        request: (action) => context.approval({ action, summary: `${action} ${task.title}`, input: null }),
        sleep: (ms) => context.sleep(ms),
        complete: (result) => client.tasks.complete(task.id, { fencing_token: task.fencing_token, result }),
      },
      name,
      observe,
    ),
})
// Whoever is refused for good ends with 1, which the controller sees.
void worker.done.catch((error: unknown) => {
  process.stderr.write(`${name}: ${String(error)}\n`)
  process.exit(1)
})
serve(() => worker.stop({ drainTimeoutMs: 3_000 }))
