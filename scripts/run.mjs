import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program to its end with its output shown, and resolves with the exit code: as in shells, 128 and the number of the signal when
 * one ended it.
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (signal !== null) console.error(`${signal} ended ${[command, ...args].join(' ')}`)
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
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
