import { TaskboardError, type NewCredential } from '@taskboard/core'
import type pg from 'pg'

/** Where an account is. `target` is set while it is copied, then `source` until nothing is left there. */
type Place = Readonly<Record<'account' | 'board', string> & Record<'target' | 'source', string | null>>
export type Directory = Awaited<ReturnType<typeof openDirectory>>

const NOTE = `insert into name select unnest($1::text[]), $2
  on conflict (name) do update set account = name.account where name.account = excluded.account`
const FIND =
  'select * from place where account in (select $1 union all select account from name where name = $1)'
const SWITCH =
  'update place set board = target, source = board, target = null where account = $1 and target = $2'

/** Which board has which account, key and address, in a database that neither board needs. */
export async function openDirectory(pool: pg.Pool) {
  await pool.query(`
    create table if not exists place (account text primary key, board text not null, target text, source text);
    create table if not exists name (name text primary key, account text not null references place)`)
  return {
    /** `onCredential` of a board. An address belongs to one account only, even across both boards. */
    noteOn: (board: string) => async (made: NewCredential) => {
      const names = made.kind === 'api_key' ? [made.digest] : [made.email, made.id]
      await pool.query('insert into place values ($1, $2) on conflict do nothing', [made.accountId, board])
      const { rowCount } = await pool.query(NOTE, [names, made.accountId])
      if (rowCount === names.length) return
      throw new TaskboardError('CONFLICT', 'email is already in use', { field: 'email' })
    },
    /** By the digest of a key, an address, or the id of a user or an account. */
    find: async (name: string) => (await pool.query<Place>(FIND, [name])).rows[0],
    begin: (account: string, target: string) =>
      pool.query('update place set target = $2 where account = $1 and source is null', [account, target]),
    switchTo: (account: string, target: string) => pool.query(SWITCH, [account, target]),
    end: (account: string) => pool.query('update place set source = null where account = $1', [account]),
  }
}
