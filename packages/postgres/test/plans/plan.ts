/** A node of an executed plan in the output of `auto_explain`, with the fields that are read here. */
export interface PlanNode {
  readonly 'Node Type': string
  /** What the server expected, in its own unit. */
  readonly 'Total Cost': number
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Heap Fetches'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

/** One statement that the server executed, including those within a function or a trigger. */
export interface ExecutedPlan {
  readonly 'Query Text': string
  readonly Plan: PlanNode
  /** What the server compiled. Only of executions that are analyzed, on a server with a compiler. */
  readonly JIT?: object
  readonly durationMs: number
}

/** The cost of a verb on the server. */
export interface Cost {
  /** Rows read from tables and indexes, used or not. */
  readonly rows: number
  /** Pages read. */
  readonly pages: number
  readonly ms: number
  /** The highest cost that the server expected of a statement, also of those within functions and triggers. */
  readonly expected: number
  /** Names of the indexes read. */
  readonly indexes: readonly string[]
  /** Tables read completely. */
  readonly scanned: readonly string[]
}

/** `jit_above_cost` by default: a server with a compiler compiles a plan from here on, whatever it costs in truth. */
export const COMPILED_FROM = 100_000

/** One message of `auto_explain` with `log_format=json`; null for any other message. */
export function parsePlan(message: string): ExecutedPlan | null {
  const [, duration, json] = /^duration: ([\d.]+) ms {2}plan:\n(.*)$/s.exec(message) ?? []
  if (duration === undefined || json === undefined) return null
  return { ...(JSON.parse(json) as ExecutedPlan), durationMs: Number(duration) }
}

/** Adds up the statements of a verb. The pages and time of an outer statement include those of nested ones. */
export function costOf(plans: readonly ExecutedPlan[], isNested: (plan: ExecutedPlan) => boolean): Cost {
  const nodes = plans.flatMap(({ Plan }) => nodesOf(Plan))
  const outer = plans.filter((plan) => !isNested(plan))
  return {
    rows: sum(nodes.map(rowsRead)),
    pages: sum(outer.map(({ Plan }) => (Plan['Shared Hit Blocks'] ?? 0) + (Plan['Shared Read Blocks'] ?? 0))),
    ms: sum(outer.map(({ durationMs }) => durationMs)),
    expected: Math.max(0, ...plans.map(({ Plan }) => Plan['Total Cost'])),
    indexes: distinct(nodes.map((node) => node['Index Name'])),
    scanned: distinct(
      nodes.map((node) =>
        node['Node Type'] === 'Seq Scan' && wasRun(node) ? node['Relation Name'] : undefined,
      ),
    ),
  }
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

const wasRun = (node: PlanNode): boolean => (node['Actual Loops'] ?? 0) > 0

/** Indexes of block ranges: the server reports ten rows for each page that one of them names, and reads none. */
const OF_BLOCK_RANGES = ['event_batch_age']
const REPORTED_OF_PAGE = 10

function rowsRead(node: PlanNode): number {
  const isRead =
    node['Node Type'].endsWith('Scan') && (node['Relation Name'] ?? node['Index Name']) !== undefined
  if (!isRead) return 0
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  const isOfRanges = OF_BLOCK_RANGES.includes(node['Index Name'] ?? '')
  return Math.round((each * (node['Actual Loops'] ?? 0)) / (isOfRanges ? REPORTED_OF_PAGE : 1))
}

function distinct(names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== undefined))].toSorted()
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
