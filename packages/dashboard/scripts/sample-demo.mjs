// The demo that `npm start` runs, in a process of its own on a folder that goes with it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { fillBoard } from './sample-board.mjs'
import { makeHistory } from './sample-history.mjs'

const main = fileURLToPath(new URL('../../../examples/express-server/src/main.ts', import.meta.url))
const sources = new URL('../../../scripts/sources.mjs', import.meta.url).href
const loader = ['--conditions=@taskboard/source', '--import', sources]

/** Starts the demo with the sample board. `link` logs its owner in, once. */
export async function startSampleDemo() {
  const folder = await mkdtemp(join(tmpdir(), 'taskboard-pictures-'))
  const removed = () => rm(folder, { recursive: true, force: true })
  try {
    const owner = await makeHistory(folder)
    const demo = await start(folder)
    const close = async () => {
      await demo.stop()
      await removed()
    }
    try {
      return { ...demo, taskId: await fillBoard({ url: demo.url, owner }), close }
    } catch (error) {
      await close()
      throw error
    }
  } catch (error) {
    await removed()
    throw error
  }
}

async function start(folder) {
  const child = spawn(process.execPath, [...loader, main], {
    // Its own agent would work the tasks of the others.
    env: { ...process.env, PORT: '0', TASKBOARD_DATA: folder, DATABASE_URL: '', TASKBOARD_AGENT: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const printed = {}
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    printed.url ??= /^Taskboard on \w+: (\S+)/.exec(line)?.[1]
    printed.link ??= /^ {2}(\S+#login=\S+)/.exec(line)?.[1]
    // The greeting ends with it.
    if (printed.link !== undefined) break
  }
  // What it prints later is read, too: a full pipe would stop it.
  child.stdout.resume()
  if (printed.link === undefined || printed.url === undefined) throw new Error('the demo did not start')
  return {
    ...printed,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
