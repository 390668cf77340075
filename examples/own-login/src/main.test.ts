import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

it.each(['express', 'fastify'])(
  'on %s, the process ends on SIGTERM while a proxy goes on asking on a kept connection',
  { timeout: 60_000 },
  async (framework) => {
    const fromSources = ['--conditions=@taskboard/source', '--import', 'tsx']
    const child = spawn(process.execPath, [...fromSources, main, framework], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    try {
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
      const url = line.replace('The host: ', '')
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const ask = async (): Promise<void> => {
        const [response] = (await once(get(`${url}/kanban/v2/tasks`, { agent }), 'response')) as [
          IncomingMessage,
        ]
        await once(response.resume(), 'end')
      }
      await ask()
      const asking = (async () => {
        for (;;) await ask()
      })().catch((error: { readonly code?: string }) => error.code)
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      expect(await asking).toMatch(/^ECONN(?:REFUSED|RESET)$/)
      agent.destroy()
    } finally {
      child.kill('SIGKILL')
    }
  },
)
