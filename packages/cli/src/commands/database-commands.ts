import { CliError } from '../cli-error.js'
import { type Call, type Command, listOf, type Option, textOf } from '../command.js'
import { type Opened, withBoard, withDatabase } from '../database/open-database.js'
import { textTable } from '../output/text.js'
import { DAY_MS, daysOf, endOf } from './session-commands.js'

/** Which database, and where the board is in it. */
export const databaseOptions: readonly Option[] = [
  {
    flags: '--data <directory>',
    summary: 'a PGlite directory to use instead of DATABASE_URL; no other process may have it open',
  },
  { flags: '--schema <name>', summary: 'the database schema of the board; default taskboard' },
]

async function migrate(call: Call): Promise<void> {
  const { output } = call.cli
  const isPlan = call.options['plan'] === true
  const work = async ({ pool, postgres, inSchema }: Opened): Promise<void> => {
    if (isPlan) {
      const steps = await postgres.planMigrations(pool, inSchema)
      const sql = steps.map((step) => `-- ${step.name}\n${step.sql}`).join('\n')
      if (output.isJson) output.result({ steps }, '')
      else if (steps.length === 0) output.note('the schema is up to date')
      else output.write(sql)
      return
    }
    const progress = output.progress('Migrating')
    progress.update(0, 1)
    const applied = await postgres.migrate(pool, inSchema)
    progress.update(1, 1)
    progress.end()
    output.result({ applied }, applied.length === 0 ? 'the schema is up to date' : applied.join('\n'))
  }
  await withDatabase(call, work, { creates: !isPlan })
}

async function status(call: Call): Promise<void> {
  const { output } = call.cli
  const migrations = await withDatabase(call, async ({ pool, postgres, inSchema }) =>
    (await postgres.migrationStatus(pool, inSchema)).map(({ name, state, appliedAt }) => ({
      name,
      state,
      applied_at: appliedAt === null ? null : new Date(appliedAt).toISOString(),
    })),
  )
  const rows = migrations.map(({ name, state, applied_at: appliedAt }) => [name, state, appliedAt])
  output.result({ migrations }, () => textTable(['MIGRATION', 'STATE', 'APPLIED'], rows, output))
  const open = migrations.filter(({ state }) => state !== 'applied')
  if (open.length > 0) {
    throw new CliError(
      'pending',
      `${open.length} ${open.length === 1 ? 'migration is' : 'migrations are'} pending or altered: run \`taskboard migrate\``,
    )
  }
}

const TASKS_PER_BATCH = 500

async function prune(call: Call): Promise<void> {
  const { output } = call.cli
  const olderThanMs = daysOf(textOf(call.options, 'doneDays') ?? '', '--done-days') * DAY_MS
  const deleted = await withDatabase(call, async ({ pool, postgres, inSchema }) => {
    const storage = postgres.postgresStorage({ pool, listen: false, ...inSchema })
    const batch = { rows: 'done_tasks', olderThanMs, limit: TASKS_PER_BATCH } as const
    let sum = 0
    // A task that others depend on can go in the batch after theirs.
    for (let count = 1; count > 0; sum += count) count = await storage.prune(batch, { now: null })
    return sum
  })
  output.result({ deleted }, `${deleted} done ${deleted === 1 ? 'task was' : 'tasks were'} deleted`)
}

async function createKey(call: Call): Promise<void> {
  const { cli, args, options } = call
  const newAccount = textOf(options, 'newAccount')
  const workspaceId = textOf(options, 'workspace')
  const accountId = textOf(options, 'account')
  if ([newAccount, workspaceId, accountId].filter((one) => one !== undefined).length !== 1) {
    throw new CliError('usage', 'one of --account, --workspace and --new-account is required')
  }
  const days = textOf(options, 'days')
  const expiresAt = days === undefined ? undefined : new Date(endOf(days))
  const created = await withBoard(call, async ({ accounts }) => {
    const reach =
      newAccount === undefined
        ? workspaceId === undefined
          ? { accountId: accountId ?? '' }
          : { workspaceId }
        : { accountId: (await accounts.create({ name: newAccount, tier: 'professional' })).account.id }
    const scopes = (listOf(options, 'scope') ?? []) as Parameters<typeof accounts.createKey>[0]['scopes']
    const key = await accounts.createKey({ ...reach, name: args[0] ?? '', scopes, expiresAt })
    return { ...key, account_id: null, workspace_id: null, ...wire(reach) }
  })
  cli.output.result(created, created.key)
  if (!cli.output.isJson) cli.output.note(`${created.id} was created. This key is shown only once.`)
}

const KEYS_RULE = 'set TASKBOARD_ENCRYPTION_KEYS to id:key,id:key, with the key to encrypt with first'

function encryptionKeys(text: string | undefined): readonly { readonly id: string; readonly key: string }[] {
  return (text ?? '').split(',').map((entry) => {
    const [id = '', key = '', ...rest] = entry.trim().split(':')
    if (id === '' || key === '' || rest.length > 0) throw new CliError('usage', KEYS_RULE)
    return { id, key }
  })
}

async function reseal(call: Call): Promise<void> {
  const { cli } = call
  const keys = encryptionKeys(cli.env['TASKBOARD_ENCRYPTION_KEYS'])
  const done = await withBoard(call, (board) => board.resealSecrets(), keys)
  const { resealed, unreadable } = done
  const first = keys[0]?.id ?? ''
  cli.output.result(
    done,
    `${resealed} ${resealed === 1 ? 'secret was' : 'secrets were'} encrypted with the key ${first}`,
  )
  if (unreadable === 0) return
  throw new CliError(
    'conflict',
    `no key of the list decrypts ${unreadable} ${unreadable === 1 ? 'secret' : 'secrets'}: add the missing key, and run the command again`,
  )
}

function wire(reach: { readonly accountId?: string; readonly workspaceId?: string }) {
  return reach.accountId === undefined ? { workspace_id: reach.workspaceId } : { account_id: reach.accountId }
}

export const databaseCommands: readonly Command[] = [
  {
    name: 'migrate',
    summary: 'Bring the schema of a database up to date',
    options: [{ flags: '--plan', summary: 'print the SQL without running it' }, ...databaseOptions],
    scopes: [],
    json: { shape: '`{ applied }`; with `--plan` `{ steps: [{ name, sql }] }`' },
    isLocal: true,
    run: migrate,
  },
  {
    name: 'status',
    summary: 'List the migrations. The exit code is 9 when the schema is not up to date',
    options: databaseOptions,
    scopes: [],
    json: { shape: '`{ migrations: [{ name, state, applied_at }] }`' },
    isLocal: true,
    run: status,
  },
  {
    name: 'prune',
    summary: 'Delete tasks that were completed some days ago, with all their data',
    options: [
      {
        flags: '--done-days <days>',
        summary: 'delete tasks completed more than this many days ago',
        isRequired: true,
      },
      ...databaseOptions,
    ],
    scopes: [],
    json: { shape: '`{ deleted }`' },
    isLocal: true,
    run: prune,
  },
  {
    name: 'reseal',
    summary:
      'Encrypt all secrets with the first key of TASKBOARD_ENCRYPTION_KEYS, so that you can remove the others',
    options: databaseOptions,
    scopes: [],
    json: { shape: '`{ resealed, unreadable }`' },
    isLocal: true,
    run: reseal,
  },
  {
    name: 'create-key',
    summary: 'Create an API key without a login, and print it once',
    arguments: [{ name: 'name', summary: 'the name of the key' }],
    options: [
      { flags: '--scope <scope>', summary: 'a scope of the key', isList: true, isRequired: true },
      { flags: '--account <id>', summary: 'a key for this account' },
      { flags: '--workspace <id>', summary: 'a key for this workspace' },
      { flags: '--new-account <name>', summary: 'create an account with this name, and a key for it' },
      { flags: '--days <days>', summary: 'days until the key expires; default: never' },
      ...databaseOptions,
    ],
    scopes: [],
    json: { shape: '`{ id, key, account_id, workspace_id }`' },
    isLocal: true,
    run: createKey,
  },
]
