import { spawn } from 'node:child_process'
import { once } from 'node:events'

const PROGRAM = `
  const { createServer } = require('node:http')
  const server = createServer((request, response) =>
    request.resume().on('end', () => request.url.startsWith('/hang/') || response.end()))
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
  process.once('disconnect', () => process.exit())`

/** A receiver of webhooks in a separate process, which answers 200 to all requests, except below `/hang/`: those it never answers. */
export async function startReceiver(): Promise<{ readonly origin: string; stop(): void }> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [port] = (await once(child, 'message')) as [number]
  return { origin: `http://127.0.0.1:${port}`, stop: () => child.disconnect() }
}
