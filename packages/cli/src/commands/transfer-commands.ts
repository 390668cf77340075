import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { CliError } from '../cli-error.js'
import { type Call, type Command, textOf } from '../command.js'
import { type Kept, keepWholeLines, openExport } from '../database/export-file.js'
import { type Opened, withBoard, withDatabase } from '../database/open-database.js'
import { splitLines } from '../lines.js'
import { databaseOptions } from './database-commands.js'

interface Sink {
  write(text: string): Promise<unknown>
  close(): Promise<void>
}

async function openSink(call: Call, path: string, isResumed: boolean): Promise<Sink> {
  if (path !== '-') {
    const file = await openExport(path, isResumed)
    return { write: (text) => file.appendFile(text), close: () => file.close() }
  }
  const { output } = call.cli
  return { write: async (text) => output.write(text), close: () => Promise.resolve() }
}

async function keptOf(path: string): Promise<Kept | null> {
  if (path === '-') throw new CliError('usage', '--resume requires a file')
  try {
    return await keepWholeLines(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function totalOf(line: string | undefined): number {
  return line === undefined ? 0 : (JSON.parse(line) as { readonly rows: number }).rows
}

async function exportBoards(call: Call): Promise<void> {
  const { cli, args, options } = call
  const path = args[0] ?? ''
  const signal = cli.interrupted()
  const resume = options['resume'] === true ? await keptOf(path) : null
  const rows = await withDatabase(call, async (opened) => {
    // Not before there is something to write: an account that does not exist leaves no file.
    let sink: Sink | undefined
    try {
      return await writeLines(call, opened, {
        write: async (text) => (sink ??= await openSink(call, path, options['resume'] === true)).write(text),
        resume,
        signal,
      })
    } finally {
      await sink?.close()
    }
  })
  if (path !== '-') cli.output.result({ file: path, rows }, `${path}  ${rows} rows`)
}

async function writeLines(
  { cli, options }: Call,
  { pool, postgres, inSchema }: Opened,
  {
    write,
    resume,
    signal,
  }: { readonly write: Sink['write']; readonly resume: Kept | null; readonly signal: AbortSignal },
): Promise<number> {
  const progress = cli.output.progress('Exporting')
  let total = totalOf(resume?.first)
  // Without its header, which is not a row.
  let lines = resume === null ? -1 : resume.rows
  try {
    for await (const batch of postgres.exportLines(pool, {
      ...inSchema,
      accountId: textOf(options, 'account'),
      workspaceId: textOf(options, 'workspace'),
      ...(resume !== null && { resume }),
    })) {
      signal.throwIfAborted()
      if (lines < 0) total = totalOf(batch[0])
      await write(`${batch.join('\n')}\n`)
      lines += batch.length
      progress.update(Math.min(lines, total), total)
    }
    return total
  } finally {
    progress.end()
  }
}

async function importBoards(call: Call): Promise<void> {
  const { cli, args } = call
  const path = args[0] ?? ''
  if (path !== '-') await stat(path)
  const signal = cli.interrupted()
  const progress = cli.output.progress('Importing')
  const imported = await withDatabase(call, async ({ pool, postgres, inSchema }) => {
    try {
      return await postgres.importLines(pool, splitLines(path === '-' ? cli.stdin : createReadStream(path)), {
        ...inSchema,
        onProgress({ read, total }) {
          signal.throwIfAborted()
          progress.update(read, total)
        },
      })
    } finally {
      progress.end()
    }
  })
  const { read, added } = imported
  cli.output.result({ rows: read, added }, `${read} rows, ${added} added`)
}

async function setReadOnly(call: Call): Promise<void> {
  const { cli, args, options } = call
  const accountId = args[0] ?? ''
  const readOnly = options['off'] !== true
  await withBoard(call, ({ accounts }) => accounts.update(accountId, { readOnly }))
  const what = readOnly ? 'takes no writes' : 'takes writes'
  cli.output.result({ account_id: accountId, read_only: readOnly }, `${accountId} ${what}`)
}

const transferScope = [
  { flags: '--account <id>', summary: 'export only this account' },
  { flags: '--workspace <id>', summary: 'export only this workspace, without users' },
] as const

export const transferCommands: readonly Command[] = [
  {
    name: 'read-only',
    summary: 'Make an account reject writes in all processes, so that its export stays complete',
    arguments: [{ name: 'account', summary: 'its id' }],
    options: [{ flags: '--off', summary: 'allow writes again' }, ...databaseOptions],
    scopes: [],
    json: { shape: '`{ account_id, read_only }`' },
    isLocal: true,
    run: setReadOnly,
  },
  {
    name: 'export',
    summary:
      'Export accounts with all their data to a file, one JSON object per line, as of one instant. It contains password and key hashes',
    arguments: [{ name: 'file', summary: 'a new file, or `-` for standard output' }],
    options: [
      ...transferScope,
      { flags: '--resume', summary: 'continue an interrupted export, if the board has not changed since' },
      ...databaseOptions,
    ],
    scopes: [],
    json: { shape: '`{ file, rows }`' },
    isLocal: true,
    run: exportBoards,
  },
  {
    name: 'import',
    summary:
      'Import an export file into a database with the same schema. Existing rows stay, so you can rerun an interrupted import',
    arguments: [{ name: 'file', summary: 'the file, or `-` for standard input' }],
    options: databaseOptions,
    scopes: [],
    json: { shape: '`{ rows, added }`' },
    isLocal: true,
    run: importBoards,
  },
]
