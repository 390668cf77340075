import { createTaskboard, defineAgent } from '@taskboard/core'
import { migrate, postgresStorage } from '@taskboard/postgres'
import pg from 'pg'
import { openDirectory } from './directory.js'
import { moveAccount } from './move-account.js'
import { createRoutedServer } from './server.js'

const poolOf = (name: string) =>
  new pg.Pool({ connectionString: process.env[name] }).on('error', console.error)
const directory = await openDirectory(poolOf('DIRECTORY_URL'))
const { ENCRYPTION_KEY = '', TOKEN_SECRET = '' } = process.env
const agents = [defineAgent({ type: 'research', run: async ({ title }) => `What I found about ${title}` })]
// The same secrets on both: what one board has sealed, the other opens after a move.
const options = { agents, secrets: { encryptionKey: ENCRYPTION_KEY }, tokens: { secret: TOKEN_SECRET } }
const boards = [['one', poolOf('BOARD_ONE_URL')] as const, ['two', poolOf('BOARD_TWO_URL')] as const].map(
  ([name, pool]) => {
    const storage = postgresStorage({ pool })
    return {
      name,
      pool,
      taskboard: createTaskboard({ ...options, storage, onCredential: directory.noteOn(name) }),
    }
  },
)
const [command, subject = '', target = ''] = process.argv.slice(2)
if (command === 'create') {
  const { accounts } = boards.find(({ name }) => name === target)?.taskboard ?? process.exit(2)
  const { account } = await accounts.create({ name: subject, tier: 'professional' })
  const scopes = ['tasks:read', 'tasks:write'] as const
  const { key } = await accounts.createKey({ accountId: account.id, name: 'first', scopes: [...scopes] })
  console.log(account.id, key)
}
if (command === 'move') await moveAccount({ directory, boards }, subject, target)
if (command !== undefined) process.exit()
for (const { pool } of boards) await migrate(pool)
await Promise.all(boards.map(({ taskboard }) => taskboard.start()))
createRoutedServer(directory, boards).listen(Number(process.env['PORT'] ?? 3000))
