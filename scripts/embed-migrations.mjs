// Writes packages/postgres/migrations/*.sql into a TypeScript file of the library. Run it after adding a migration:
//   node scripts/embed-migrations.mjs
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { format, resolveConfig } from 'prettier'

const directory = new URL('../packages/postgres/migrations/', import.meta.url)
const target = new URL('../packages/postgres/src/migrations/embedded-migrations.ts', import.meta.url)
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/

const entries = []
for (const fileName of (await readdir(directory)).sort()) {
  const [, digits, name] = FILE_NAME.exec(fileName) ?? []
  if (digits === undefined) throw new Error(`${fileName}: a migration is called 0001_what_it_does.sql`)
  if (Number(digits) !== entries.length + 1) throw new Error(`${fileName}: ${entries.length + 1} is missing`)
  const sql = await readFile(new URL(fileName, directory), 'utf8')
  entries.push(`{ number: ${Number(digits)}, name: '${name}', sql: \`${escaped(sql)}\` },`)
}

const text = `// Made by scripts/embed-migrations.mjs from migrations/*.sql, and not changed by hand.
/* oxlint-disable max-lines */
import type { Migration } from './migration.js'

export const embeddedMigrations: readonly Migration[] = [${entries.join('\n')}]
`
const path = target.pathname
await writeFile(target, await format(text, { ...(await resolveConfig(path)), filepath: path }))

function escaped(sql) {
  return sql.replaceAll('\r\n', '\n').replaceAll(/[\\`]|\$\{/g, String.raw`\$&`)
}
