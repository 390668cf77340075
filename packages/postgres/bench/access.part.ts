import { createTaskboard, type PasswordHasher } from '@taskboard/core'
import { createHash, randomBytes } from 'node:crypto'
import { migrate, postgresStorage } from '../src/index.js'
import { createBenchDatabase } from './board.js'
import { compareRates, rateOf } from './measure.js'

/**
 * Logins, refreshes and key checks a second, on one process with ten connections. Passwords are compared as they are, so that what is
 * measured is the board: with scrypt, a login takes a hundred times as long.
 */
const CLIENTS = 8
const KEYS = 1_000
const PASSWORD = 'correct horse battery'
const HERE = { clientAddress: '127.0.0.1' }

const asTheyAre: PasswordHasher = {
  hash: (password) => Promise.resolve(password),
  verify: (password, stored) => Promise.resolve(password === stored),
  decoy: '',
}

const { pool } = await createBenchDatabase()
await migrate(pool)
const storage = postgresStorage({ pool })
const taskboard = createTaskboard({
  storage,
  logger: false,
  secrets: { encryptionKey: randomBytes(32) },
  passwordHasher: asTheyAre,
  tokens: { secret: randomBytes(32).toString('hex') },
  limits: { failedCredentialsPerMinute: 100_000 },
})
await taskboard.start()
const { account, workspace } = await taskboard.accounts.create({ name: 'bench', tier: 'custom' })
for (let index = 0; index < CLIENTS; index++)
  await taskboard.accounts.createUser(account.id, {
    email: `user-${index}@bench.example`,
    password: PASSWORD,
  })
const hashes: string[] = []
while (hashes.length < KEYS) {
  const wanted = { workspaceId: workspace.id, name: 'bench', scopes: ['tasks:read'] as const }
  const { key } = await taskboard.accounts.createKey({ ...wanted, scopes: [...wanted.scopes] })
  hashes.push(createHash('sha256').update(key).digest('hex'))
}
const { login } = taskboard.services
if (login === null) throw new Error('no login')
const { sessions } = login
const tokens: string[] = []
let next = 0

const loggingIn = (ms: number) =>
  rateOf(CLIENTS, ms, async (client) => {
    const made = await sessions.login({ email: `user-${client}@bench.example`, password: PASSWORD }, HERE)
    tokens[client] = made.refreshToken
    return 1
  })
const refreshing = (ms: number) =>
  rateOf(CLIENTS, ms, async (client) => {
    tokens[client] = (await sessions.refresh(tokens[client] ?? '', HERE)).refreshToken
    return 1
  })
const checkingKeys = (ms: number) =>
  rateOf(CLIENTS, ms, async () => {
    next = (next + 1) % KEYS
    await storage.access.findPrincipal({ keyHash: hashes[next] ?? '' }, { now: null })
    return 1
  })

await compareRates(
  'what identifies callers',
  [
    { name: 'logins', round: loggingIn },
    { name: 'refreshes', round: refreshing },
    { name: 'look-ups of keys', round: checkingKeys },
  ],
  { rounds: 5, roundMs: 1_500, warmUpMs: 500 },
)
await taskboard.close()
await pool.end()
