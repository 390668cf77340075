import { spawn } from 'node:child_process'
import type { Call, Command } from '../command.js'
import { taskIdOf } from './short-id.js'

/** What opens an address in the browser of the system. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // The first argument in quotes would be the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
}

async function open(call: Call): Promise<void> {
  const { cli, args } = call
  const wanted = args[0]
  const page = wanted === undefined ? '' : `#/tasks/${encodeURIComponent(await taskIdOf(call, wanted))}`
  const url = `${await cli.url()}/dashboard/${page}`
  cli.output.result({ url }, url)
  if (cli.output.width === null || cli.output.isJson) return
  const browser = cli.env['BROWSER']?.trim()
  const [command, ...rest] = browser ? [browser] : (openers[process.platform] ?? ['xdg-open'])
  const child = spawn(command, [...rest, url], { stdio: 'ignore', detached: true })
  child.on('error', () => cli.output.note(`${command} did not start: open the address yourself`))
  child.unref()
}

export const openCommand: Command = {
  name: 'open',
  summary: 'Print the dashboard address, or the address of a task; on a terminal, open it in the browser',
  arguments: [
    { name: 'task', summary: 'the id of the task, or at least its last four characters', isOptional: true },
  ],
  scopes: [],
  json: { shape: '`{ url }`' },
  run: open,
}
