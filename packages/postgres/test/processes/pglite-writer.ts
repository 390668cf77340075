import { openPglite } from '../../src/pglite/pglite-directory.js'

// Opens the directory, and acknowledges each written row on the standard output.
const [, , directory = ''] = process.argv
const { pool } = await openPglite(directory)
await pool.query({ text: 'create table if not exists row (n integer)', values: [] })
for (let n = 0; ; n += 1) {
  await pool.query({ text: 'insert into row values ($1)', values: [n] })
  process.stdout.write(`${n}\n`)
}
