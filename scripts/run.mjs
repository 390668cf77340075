import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const STREAMS = ['stdout', 'stderr']
/** Characters of what a program printed. */
const MOST_KEPT = 2_000

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program to its end with its output shown, and resolves with the exit code: as in shells, 128 and the number of the signal when
 * one ended it.
 */
export function run(command, args, { onChild = () => undefined, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options })
    onChild(child)
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (signal !== null) console.error(`${signal} ended ${[command, ...args].join(' ')}`)
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
}

/** Like `run`, and resolves with the last characters of what it printed to `streams` as well. The others keep the terminal. */
export async function runKeepingOutput(command, args, { streams = STREAMS, ...options } = {}) {
  let output = ''
  const closed = []
  const code = await run(command, args, {
    ...options,
    stdio: ['ignore', ...STREAMS.map((name) => (streams.includes(name) ? 'pipe' : 'inherit'))],
    onChild(child) {
      for (const name of streams) {
        closed.push(once(child[name], 'close'))
        child[name].on('data', (chunk) => {
          process[name].write(chunk)
          output = (output + String(chunk)).slice(-MOST_KEPT)
        })
      }
    },
  })
  // A program that the child left running may hold them open.
  await Promise.race([Promise.all(closed), setTimeout(1_000, undefined, { ref: false })])
  return { code, output }
}

/** Like `run`, with standard output and error gathered instead of shown. */
export function capture(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options })
    const stdout = []
    const all = []
    child.stdout.on('data', (chunk) => {
      stdout.push(chunk)
      all.push(chunk)
    })
    child.stderr.on('data', (chunk) => all.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({
        code: code ?? 1,
        stdout: Buffer.concat(stdout).toString(),
        output: Buffer.concat(all).toString(),
      })
    })
  })
}
