import { fileURLToPath } from 'node:url'
import { fastify, type FastifyInstance } from 'fastify'
import { addAnswer, keep, listAnswer, makeBenchBoard, newTask } from '@taskboard/kit/bench/bench-board'
import { announce, compare } from '@taskboard/kit/bench/http-load'
import { taskboardPlugin } from '../src/index.js'

/**
 * Whole requests per second: ours with key check, limit, body and storage in memory, against bare Fastify handlers that
 * return the same objects. An add has three floors: one parses the JSON body, which is Fastify's default, one reads no body, and one
 * stores the body in a Map under an id, which is the least that an add can do.
 */
const LIST = '/api/board?action=doing'
const ADD = '/api/board?action=add'

async function listen(app: FastifyInstance, keys: readonly string[]): Promise<void> {
  announce({ url: await app.listen({ host: '127.0.0.1', port: 0 }), keys })
}

async function serveOurs(): Promise<void> {
  const { taskboard, keys } = await makeBenchBoard()
  const app = fastify()
  await app.register(taskboardPlugin, { taskboard })
  await listen(app, keys)
}

async function serveKeeping(): Promise<void> {
  const app = fastify()
  app.get('/api/board', () => listAnswer)
  app.post<{ Body: { readonly title: string } }>('/api/board', ({ body }) => keep(body))
  await listen(app, ['none'])
}

async function serveFloor(readsBody: boolean): Promise<void> {
  const app = fastify()
  if (!readsBody) {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  }
  app.get('/api/board', () => listAnswer)
  app.post('/api/board', () => addAnswer)
  await listen(app, ['none'])
}

const subjects: Record<string, () => Promise<void>> = {
  ours: serveOurs,
  parsing: () => serveFloor(true),
  unread: () => serveFloor(false),
  keeping: serveKeeping,
}
const serve = subjects[process.argv[2] ?? '']
if (serve !== undefined) await serve()
else {
  await compare(
    fileURLToPath(import.meta.url),
    { name: 'taskboard on Fastify', serve: 'ours' },
    [
      { name: 'bare Fastify', serve: 'parsing' },
      { name: 'bare Fastify that reads no body', serve: 'unread' },
      { name: 'bare Fastify that keeps what it is sent in a Map', serve: 'keeping' },
    ],
    [
      { name: 'list of 20 tasks', path: LIST, goal: 0.65 },
      { name: 'add', path: ADD, body: JSON.stringify(newTask), goal: 0.65 },
    ],
  )
}
