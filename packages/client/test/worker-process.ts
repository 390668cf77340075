import { createClient } from '../src/index.js'

/** A worker in its own process, which is killed or paused. It prints what happens to it, a line each. */
const [baseUrl = '', key = '', agentId = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, key })
const print = (line: string): void => void process.stdout.write(`${line}\n`)
/** The test says when it has gone on after a pause. */
const goneOn = new Promise((resolve) => process.once('SIGUSR2', resolve))

client.worker({
  agentId,
  leaseMs: 2_000,
  async run({ id }, { claim, signal }) {
    signal.addEventListener('abort', () => print('aborted'))
    print(`began ${claim.attempt}`)
    await goneOn
    const late = client.tasks.complete(id, { fencing_token: claim.fencingToken, result: 'late' })
    print(
      await late.then(
        () => 'accepted',
        (error: { status?: number }) => `refused ${error.status}`,
      ),
    )
    return 'late'
  },
})
