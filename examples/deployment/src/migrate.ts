import { migrate } from '@taskboard/postgres'
import pg from 'pg'

/** The migration job: it connects as the owner of the schema, to the server itself. */
const pool = new pg.Pool({ connectionString: process.env['OWNER_DATABASE_URL'], max: 1 })
const applied = await migrate(pool)
console.log(applied.length === 0 ? 'the schema is up to date' : applied.join('\n'))
await pool.end()
