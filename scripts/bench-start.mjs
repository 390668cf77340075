// The time from `npm start` to the API key that it prints: `npm run bench:start`. A new board and one that exists take turns, five
// times, beside the floor of each: a process that only opens PGlite, on an empty directory and on one that exists. `--record` keeps the
// figures for the docs, see bench-figures.mjs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchArguments, figureCollector } from './bench-figures.mjs'
import { prepareServer } from './example-server.mjs'
import { root } from './run.mjs'

const ROUNDS = 5
/** An API key, as the greeting has it. */
const KEY = /\btb_\w+/
const FLOOR = `import('@electric-sql/pglite').then(async ({ PGlite }) => {
  const pglite = await PGlite.create(process.argv[1])
  console.log('tb_open')
  await pglite.close()
})`

/** Milliseconds until the process prints what looks like a key; resolves when it has ended. */
async function timeToKey(command, args, { cwd = root, env = {} } = {}) {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let output = ''
  let keyMs
  for await (const chunk of child.stdout) {
    output += chunk
    if (keyMs !== undefined || !KEY.test(output)) continue
    keyMs = performance.now() - startedAt
    child.kill('SIGTERM')
  }
  await ended
  if (keyMs === undefined) throw new Error(`no key was printed: ${output}`)
  return keyMs
}

const start = (data) => timeToKey('npm', ['start'], { env: { PORT: '0', TASKBOARD_DATA: data } })
const floor = (data) =>
  timeToKey(process.execPath, ['-e', FLOOR, data], { cwd: join(root, 'packages/postgres') })

await prepareServer('express-server')
const { isRecorded } = benchArguments(process.argv.slice(2))
const figures = figureCollector('start', { isRecorded })
const times = new Map()
function note(what, column, ms) {
  figures.add(column, { what, value: ms / 1_000, unit: 's' })
  const title = `${what}: ${column}`
  times.set(title, [...(times.get(title) ?? []), ms])
}
for (let round = 0; round < ROUNDS; round++) {
  const folder = await mkdtemp(join(tmpdir(), 'taskboard-start-'))
  const [board, pglite] = [join(folder, 'board'), join(folder, 'pglite')]
  for (const what of ['a new board', 'a board that exists']) {
    note(what, 'npm start', await start(board))
    note(what, 'PGlite alone', await floor(pglite))
  }
  await rm(folder, { recursive: true, force: true })
}
for (const [what, all] of times) {
  const sorted = all.toSorted((a, b) => a - b).map((ms) => (ms / 1_000).toFixed(2))
  console.log(`${what}: ${sorted[ROUNDS >> 1]} s (${sorted.at(0)} to ${sorted.at(-1)})`)
}
await figures.save(`Node.js ${process.versions.node}`)
