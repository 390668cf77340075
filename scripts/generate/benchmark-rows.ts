/** A row of a table: what it says, and the figure of `docs/benchmarks.json` that it shows. A figure that nobody has measured yet has no row. */
export interface BenchmarkRow {
  readonly text: string
  readonly figure: string
}

const row = (text: string, figure: string): BenchmarkRow => ({ text, figure })

const TAKE_NEXT = 'complete and take next'
const GRAPHILE = 'graphile-worker 0.17.3'
const INTO_MAP = 'that keeps what it is sent in a Map'
const EVERY_SPAN = 'every span recorded'

const memory: readonly BenchmarkRow[] = [
  row(
    'Cost of a claim: a million tasks against a thousand',
    'a claim at a million tasks to one at a thousand',
  ),
  row('Claim against a scan for the best of a million', 'a scan of a million tasks to a claim'),
  row('Rate limiter against rate-limiter-flexible', 'limiter, lowest of four mixes'),
  row(
    'List of 20 over HTTP, Fastify, against a bare handler',
    'taskboard on Fastify, list of 20 tasks, to bare Fastify',
  ),
  row(
    'Add over HTTP, Fastify, against a handler that fills a Map',
    `taskboard on Fastify, add, to bare Fastify ${INTO_MAP}`,
  ),
  row('Add over HTTP, Fastify, against a constant response', 'taskboard on Fastify, add, to bare Fastify'),
  row(
    'List of 20 over HTTP, Express, against bare `res.json`',
    'taskboard on Express, list of 20 tasks, to bare Express res.json',
  ),
  row(
    'Add over HTTP, Express, against a handler that fills a Map',
    `taskboard on Express, add, to bare Express ${INTO_MAP}`,
  ),
  row('Webhook deliveries against undici alone', 'webhook deliveries to undici alone'),
  row('GraphQL list of 20 against graphql-yoga', 'GraphQL on Fastify, list of 20 tasks, to graphql-yoga'),
  row('GraphQL list of 20 against mercurius', 'GraphQL on Fastify, list of 20 tasks, to mercurius'),
  row(
    'GraphQL list of 20 against mercurius with its JIT',
    'GraphQL on Fastify, list of 20 tasks, to mercurius with its JIT',
  ),
  row('A message to 1,000 WebSockets against a loop of `ws.send`', '60 bytes, 1000 clients, 1 a tick'),
  row(
    'Sixteen messages in one tick to 1,000 WebSockets, against the same loop',
    '60 bytes, 1000 clients, 16 a tick',
  ),
  row('Heap of an idle connection against bare `ws`', 'an idle connection: heap'),
  row('Resident memory of an idle connection against bare `ws`', 'an idle connection: resident memory'),
  row(
    'Add on PGlite with every span recorded, against no telemetry',
    `on PGlite, ${EVERY_SPAN}, add, to no telemetry`,
  ),
  row(
    'List of 20 with every span recorded, against no telemetry',
    `in memory, ${EVERY_SPAN}, list of 20 tasks, to no telemetry`,
  ),
  row(
    'Add in memory with every span recorded, against no telemetry',
    `in memory, ${EVERY_SPAN}, add, to no telemetry`,
  ),
]

const takeNext = (workers: number, who: string): string => `${TAKE_NEXT}, ${workers} workers: ${who}`

const postgres: readonly BenchmarkRow[] = [
  row('Complete and take the next, 8 workers', takeNext(8, 'taskboard, by agent type')),
  row('Complete and take the next, 50 workers', takeNext(50, 'taskboard, by agent type')),
  row('graphile-worker, 8 workers', takeNext(8, GRAPHILE)),
  row('graphile-worker, 50 workers', takeNext(50, GRAPHILE)),
  row(
    'graphile-worker with a local queue of 500, 8 workers',
    takeNext(8, `${GRAPHILE} with a local queue of 500`),
  ),
  row(
    'Taskboard against graphile-worker, 8 workers',
    `8 workers, ${TAKE_NEXT}, to graphile-worker's default`,
  ),
  row(
    'Taskboard against graphile-worker, 50 workers',
    `50 workers, ${TAKE_NEXT}, to graphile-worker's default`,
  ),
  row('Taskboard against pg-boss, 8 workers', `8 workers, ${TAKE_NEXT}, to pg-boss`),
  row('Taskboard against pg-boss, 50 workers', `50 workers, ${TAKE_NEXT}, to pg-boss`),
  row(
    'Taskboard against a bare statement that writes the same rows, 8 workers',
    `8 workers, ${TAKE_NEXT}, to the floor`,
  ),
  row(
    'Taskboard against a bare statement that writes the same rows, 50 workers',
    `50 workers, ${TAKE_NEXT}, to the floor`,
  ),
  row('Claim, p50, a thousand tasks', 'claim p50 at 1,000 tasks'),
  row('Claim, p50, a million tasks', 'claim p50 at 1,000,000 tasks'),
  row('Claim, p50, a million tasks against a thousand', 'claim p50 at 1,000,000 tasks to that at 1,000'),
  row(
    'Claim from a million tasks against a bare `SKIP LOCKED` claim by a fixed priority',
    "claim p50 to the static SKIP LOCKED claim's, at 1,000,000 tasks",
  ),
  row('Rank error of eight independent claimers, mean', 'mean rank error of 8 independent claimers'),
  row('Rank error of eight independent claimers, largest', 'largest rank error of 8 independent claimers'),
  row("Add, 8 clients, against graphile-worker's `addJob`", "add with 8 clients to graphile-worker's addJob"),
  row("Add, 8 clients, against pg-boss's `send`", "add with 8 clients to pg-boss's send"),
  row(
    'Add over HTTP against a bare handler with one `INSERT`',
    'add over HTTP to a bare Fastify handler with one INSERT',
  ),
  row(
    'Read of a task over HTTP, 50 accounts, against a bare handler with one `SELECT`',
    'a task read by 50 account(s) to a bare Fastify handler with one SELECT',
  ),
  row(
    'Rate limits of 10,000 keys against rate-limiter-flexible',
    "limiter decisions over 10000 keys to rate-limiter-flexible's",
  ),
  row('Webhook deliveries against undici alone', 'webhook deliveries to what undici alone posts'),
  row(
    'Analytics of 90 days and a million tasks against a scan of the events',
    'figures of 90 days with roll-ups to a scan of all events',
  ),
  row('PGlite: add in process', 'PGlite: an add in process'),
  row('PGlite: create over HTTP', 'PGlite: a create over HTTP with no webhooks'),
  row('PGlite: memory after the first start', 'PGlite: memory after the first start'),
]

const capacity: readonly BenchmarkRow[] = [
  row('Complete a task and take the next one, 8 workers', takeNext(8, 'taskboard, by agent type')),
  row('Complete and take the next, 50 workers', takeNext(50, 'taskboard, by agent type')),
  row('Complete and take the next, one caller in process', 'PostgreSQL: a cycle in process'),
  row('Add a task, one caller in process', 'PostgreSQL: an add in process'),
  row('Create a task over HTTP, one caller', 'PostgreSQL: a create over HTTP with no webhooks'),
  row(
    'Claim, p50, a million waiting tasks against a thousand',
    'claim p50 at 1,000,000 tasks to that at 1,000',
  ),
  row(
    'Claim, p50, 10,000 workspaces against 10',
    'claim by agent type p50 with 10000 workspaces to that with 10',
  ),
  row('Add, p50, 10,000 workspaces against 10', 'add p50 with 10000 workspaces to that with 10'),
]

const start: readonly BenchmarkRow[] = [
  row('A new board', 'a new board'),
  row('A board that exists', 'a board that exists'),
]

const dashboard: readonly BenchmarkRow[] = [
  row('First task or job on the page, of ten thousand', 'first content, 10000 tasks'),
  row('First task on the page, of a hundred', 'first content, 100 tasks'),
  row('Script and style, as sent', 'script and style, 10000 tasks'),
  row('Everything that is sent', 'all that is sent, 10000 tasks'),
  row('Requests', 'requests, 10000 tasks'),
  row('Longest frame while ten thousand cards scroll', 'longest frame'),
]

/** The rows of each place, and the table of the file that has their figures. */
export const rowsOf: Readonly<
  Record<string, { readonly table: string; readonly rows: readonly BenchmarkRow[] }>
> = {
  memory: { table: 'memory', rows: memory },
  postgres: { table: 'postgres', rows: postgres },
  capacity: { table: 'postgres', rows: capacity },
  start: { table: 'start', rows: start },
  dashboard: { table: 'dashboard', rows: dashboard },
}
