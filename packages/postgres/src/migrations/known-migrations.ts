// A file of its own, because what makes the types of the package cannot read SQL: no type comes from here.
// Also for compilers that begin with another file than a tsconfig.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="../sql-files.d.ts" />
import bookkeeping from '../../schema/00_bookkeeping.sql'
import functions from '../../schema/01_functions.sql'
import access from '../../schema/02_access.sql'
import events from '../../schema/03_events.sql'
import agents from '../../schema/04_agents.sql'
import board from '../../schema/05_board.sql'
import queue from '../../schema/06_queue.sql'
import webhooks from '../../schema/07_webhooks.sql'
import channels from '../../schema/08_channels.sql'
import limits from '../../schema/09_limits.sql'
import realtime from '../../schema/10_realtime.sql'
import usage from '../../schema/11_usage.sql'
import analytics from '../../schema/12_analytics.sql'
import idempotency from '../../schema/13_idempotency.sql'
import audit from '../../schema/14_audit.sql'
import readOnly from '../../schema/15_read_only.sql'
import links from '../../schema/17_links.sql'
import bots from '../../schema/18_bots.sql'
import type { Migration } from './migration.js'

/** The SQL that creates the schema and the table that records migrations. */
export { bookkeeping }

const schema = [
  functions,
  access,
  events,
  agents,
  board,
  queue,
  webhooks,
  channels,
  limits,
  realtime,
  usage,
  analytics,
  idempotency,
  audit,
  readOnly,
  links,
  bots,
]

/** All migrations, in order. Those after the first are files of `migrations/`, imported here in the same way. */
export const knownMigrations: readonly Migration[] = [{ number: 1, name: 'schema', sql: schema.join('\n') }]
