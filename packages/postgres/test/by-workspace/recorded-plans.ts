import type pg from 'pg'
import { parsePlan, type PlanNode } from '../plans/plan.js'

/** The plans of a statement of the storage, and of those in functions and triggers that it calls. */
export interface RecordedPlan {
  /** The statement's verb, `function` and its name for one inside a function, or its first words for one without a name. */
  readonly name: string
  readonly plan: PlanNode
}

/** A statement of the storage, as it was sent first. */
export interface SentStatement {
  /** As `RecordedPlan.name`. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether the server keeps its plan, so that it may plan it for any values. */
  readonly isPrepared: boolean
}

export interface RecordedPlans {
  read(): Promise<readonly RecordedPlan[]>
  /** The statements that were sent, also those without a plan. */
  texts(): readonly string[]
  /** Those of them that have a plan. */
  statements(): readonly SentStatement[]
}

/** How many plans of a statement are recorded. */
const EXECUTIONS = 3
/** Further ones that are recorded, since their functions and triggers may take another branch: by verb, from the query as JSON. */
const BRANCHING: Readonly<Record<string, (query: string) => boolean>> = {
  claim_deliveries: () => true,
  write_task: (query) => query.includes(String.raw`\"frees\":true`),
}
/**
 * Plans for any values, so that nothing is left out of them that only holds for the values of one execution. A transaction that rolls back
 * takes the settings back, so each execution sets them all.
 */
const RECORD = [
  "load 'auto_explain'",
  'set auto_explain.log_verbose = on',
  'set auto_explain.log_nested_statements = on',
  'set auto_explain.log_format = json',
  'set auto_explain.log_level = notice',
  'set auto_explain.log_parameter_max_length = 0',
  'set auto_explain.log_min_duration = 0',
  "set plan_cache_mode = 'force_generic_plan'",
].join('; ')
const STOP = 'set auto_explain.log_min_duration = -1; reset plan_cache_mode'
/** What tests send to empty the tables, and the checks of foreign keys. */
const OF_THE_TESTS =
  /^\s*(do \$\$|select exists \(select from taskboard\.\w+\)$|delete from taskboard\.\w+$|(SELECT 1|DELETE) FROM ONLY)/

/** Whether a text has a plan: the others control transactions and the session. */
const isPlanned = (text: string): boolean =>
  /^\s*(with|select|insert|update|delete)\b[^;]*$/i.test(text.replaceAll(/--.*/g, ''))

type Query = string | pg.QueryConfig

/** The statements that are sent, each once. */
function openBook() {
  const sent = new Map<string, SentStatement>()
  return {
    note(first: Query): void {
      const { text, name, values = [] } = typeof first === 'string' ? { text: first } : first
      if (!sent.has(text) && isPlanned(text))
        sent.set(text, { name: verbOf(text, name), text, values, isPrepared: name !== undefined })
    },
    all: (): readonly SentStatement[] => [...sent.values()],
  }
}

/** Records what a pool sends that has a plan, without the plans, which take time; when `isOn`. */
export function recordStatements(pool: pg.Pool, isOn = () => true): () => readonly SentStatement[] {
  const book = openBook()
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    client.query = ((first: Query, ...rest: unknown[]) => {
      const isOfTests = OF_THE_TESTS.test(typeof first === 'string' ? first : first.text)
      if (isOn() && rest.length === 0 && !isOfTests) book.note(first)
      return query(first, ...rest)
    }) as typeof client.query
  })
  return book.all
}

/** Records the plans of what a pool sends: the first ones of each statement. Requires a superuser. */
export function recordPlans(pool: pg.Pool): RecordedPlans {
  const recorded = new Map<string, number>()
  const verbs = new Map<string, string>()
  const book = openBook()
  const plans = new Map<string, PlanNode>()
  function isWanted(first: Query, text: string, verb: string): boolean {
    return (
      (isPlanned(text) && (recorded.get(text) ?? 0) < EXECUTIONS) ||
      BRANCHING[verb]?.(JSON.stringify(first)) === true
    )
  }
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
    // In an aborted transaction it fails, and there is nothing to record.
    const set = (text: string) => query(text).catch(() => undefined)
    client.on('notice', ({ message = '' }) => {
      const executed = parsePlan(message)
      if (executed === null) return
      const text = executed['Query Text']
      plans.set(text, executed.Plan)
      recorded.set(text, (recorded.get(text) ?? 0) + 1)
    })
    async function record(first: Query): Promise<unknown> {
      await set(RECORD)
      try {
        return await query(first)
      } finally {
        await set(STOP)
      }
    }
    client.query = ((first: Query, ...rest: unknown[]) => {
      const { text, name } = typeof first === 'string' ? { text: first } : first
      if (rest.length > 0 || OF_THE_TESTS.test(text)) return query(first, ...rest)
      const verb = verbOf(text, name)
      verbs.set(text, verb)
      book.note(first)
      return isWanted(first, text, verb) ? record(first) : query(first)
    }) as typeof client.query
  })
  return {
    texts: () => [...verbs.keys()],
    statements: book.all,
    async read() {
      const nested = [...plans.keys()].filter((text) => !verbs.has(text) && !OF_THE_TESTS.test(text))
      const functions = await functionsWith(pool, nested)
      return [...plans]
        .filter(([text]) => !OF_THE_TESTS.test(text))
        .map(([text, plan]) => ({ name: verbs.get(text) ?? functions.get(text) ?? text, plan }))
    },
  }
}

function verbOf(text: string, name: string | undefined): string {
  return (
    name?.replace(/^taskboard_(.*)_[0-9a-f]{8}$/, '$1') ??
    text
      .trim()
      .split(/[\s(]+/, 3)
      .join(' ')
  )
}

/** What PL/pgSQL takes out of a statement. */
const INTO = /\binto (?!taskboard)\w+(, \w+)*/g

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** The function of the schema whose body has the statement, by the statement's text. */
async function functionsWith(pool: pg.Pool, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ name: string; body: string }>(
    `select proname as name, prosrc as body from pg_proc where pronamespace = 'taskboard'::regnamespace order by name`,
  )
  const bodies = rows.map(({ name, body }) => ({ name, body: plain(body.replaceAll(INTO, ' ')) }))
  return new Map(
    texts.map((text) => {
      // PL/pgSQL sends what it performs as a selection.
      const found = bodies.filter(({ body }) => body.includes(plain(text).replace(/^SELECT /, '')))
      return [text, `function ${found.map(({ name }) => name).join(' or ')}`]
    }),
  )
}
