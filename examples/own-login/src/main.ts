import { memoryStorage } from '@taskboard/memory'
import { createBoard } from './board.js'
import { listenOnExpress } from './express-host.js'
import { listenOnFastify } from './fastify-host.js'
import { createSessions, type Member } from './sessions.js'

const members: Member[] = []
const sessions = createSessions(members)
const taskboard = createBoard(memoryStorage(), (request) => sessions.find(request.header('cookie')))
const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
members.push({ name: 'ada', password: 'engine', accountId: account.id, workspaceId: workspace.id })

const listen = process.argv[2] === 'fastify' ? listenOnFastify : listenOnExpress
const host = await listen(taskboard, sessions, Number(process.env['PORT'] ?? 3_000))
await taskboard.start()
console.log(`The host: ${host.url}
  curl -c jar -H 'Content-Type: application/json' -d '{"name":"ada","password":"engine"}' ${host.url}/login
  curl -b jar ${host.url}/kanban/v2/tasks
  curl -b jar -H 'Origin: https://evil.example' -X POST ${host.url}/kanban/v2/tasks   # 403`)

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void host.close())
