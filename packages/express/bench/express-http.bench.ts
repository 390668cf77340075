import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import express, { type Application } from 'express'
import { addAnswer, keep, listAnswer, makeBenchBoard, newTask } from '@taskboard/kit/bench/bench-board'
import { announce, compare } from '@taskboard/kit/bench/http-load'
import { taskboardRouter } from '../src/index.js'

/**
 * Whole requests per second: ours with key check, limit, body and storage in memory, against bare Express handlers that
 * answer with `res.json` of the same objects. An add has three floors: one reads no body, one parses it with
 * `express.json()`, and one also stores the body in a Map under an id, which is the least that an add can do.
 */
function listen(app: Application, keys: readonly string[]): void {
  const server = createServer(app)
  server.listen(0, '127.0.0.1', () => {
    announce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys })
  })
}

async function serveOurs(): Promise<void> {
  const { taskboard, keys } = await makeBenchBoard()
  listen(express().use(taskboardRouter(taskboard)), keys)
}

function serveFloor(readsBody: boolean): void {
  const app = express()
  if (readsBody) app.use(express.json())
  app.get('/api/board', (_request, response) => void response.json(listAnswer))
  app.post('/api/board', (_request, response) => void response.json(addAnswer))
  listen(app, ['none'])
}

function serveKeeping(): void {
  const app = express().use(express.json())
  app.get('/api/board', (_request, response) => void response.json(listAnswer))
  app.post('/api/board', (request, response) => void response.json(keep(request.body as { title: string })))
  listen(app, ['none'])
}

if (process.argv[2] === 'ours') await serveOurs()
else if (process.argv[2] === 'unread') serveFloor(false)
else if (process.argv[2] === 'parsing') serveFloor(true)
else if (process.argv[2] === 'keeping') serveKeeping()
else {
  await compare(
    fileURLToPath(import.meta.url),
    { name: 'taskboard on Express', serve: 'ours' },
    [
      { name: 'bare Express res.json', serve: 'unread' },
      { name: 'bare Express with express.json', serve: 'parsing' },
      { name: 'bare Express that keeps what it is sent in a Map', serve: 'keeping' },
    ],
    [
      { name: 'list of 20 tasks', path: '/api/board?action=doing', goal: 1 },
      { name: 'add', path: '/api/board?action=add', body: JSON.stringify(newTask), goal: 1 },
    ],
  )
}
