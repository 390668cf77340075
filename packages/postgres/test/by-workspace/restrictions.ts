import type { PlanNode } from '../plans/plan.js'

/**
 * By how many workspaces a plan restricts a table: by one, which a parameter names; by those of a list or of other rows, which name one
 * or more; or by none, so that it finds rows by something else, in whichever workspace they are.
 */
type Restriction = 'one' | 'several' | 'none'

/** One use of a table in a plan. */
interface TableUse {
  readonly table: string
  readonly restriction: Restriction
}

/** What plans with `verbose` have besides. */
interface VerboseNode extends PlanNode {
  readonly Schema?: string
  readonly Alias?: string
  readonly Operation?: string
  readonly Output?: readonly string[]
  readonly 'CTE Name'?: string
  readonly 'Subplan Name'?: string
  readonly Plans?: readonly VerboseNode[]
  readonly 'Index Cond'?: string
  readonly 'Recheck Cond'?: string
  readonly Filter?: string
  readonly 'Join Filter'?: string
  readonly 'Hash Cond'?: string
  readonly 'Merge Cond'?: string
}

const VALUE = String.raw`[a-z_0-9]+\.[a-z_0-9]+|\$\d+`
const EQUAL = new RegExp(`^(${VALUE}) = (${VALUE})$`)
const ONE_OF = new RegExp(`^(${VALUE}) = ANY `)
/** The column of a query whose result the server keeps in a table of hashes: it looks up there what the query would be asked. */
const HASHED = new RegExp(String.raw`(${VALUE}) = \(hashed (SubPlan \d+)\)\.col(\d+)`, 'g')

const nodesOf = (node: VerboseNode): readonly VerboseNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

function conditionsOf(node: VerboseNode): readonly string[] {
  return [
    node['Index Cond'],
    node['Recheck Cond'],
    node.Filter,
    node['Join Filter'],
    node['Hash Cond'],
    node['Merge Cond'],
  ].filter((condition) => condition !== undefined)
}

/** The parts of a condition that all must hold, without the parentheses around each. */
export function conjunctsOf(condition: string): readonly string[] {
  const text = withoutParentheses(condition.replaceAll(/::text\b(?!\[)/g, '').trim())
  const parts = splitOutside(text, ' AND ')
  return parts.length === 1 ? parts : parts.flatMap(conjunctsOf)
}

/** For each character how many parentheses are open after it; texts in quotation marks count as within one. */
function depthsOf(text: string): readonly number[] {
  let depth = 0
  let isQuoted = false
  return text.split('').map((character) => {
    if (character === "'") isQuoted = !isQuoted
    else if (!isQuoted && character === '(') depth += 1
    else if (!isQuoted && character === ')') depth -= 1
    return isQuoted ? depth + 1 : depth
  })
}

function withoutParentheses(text: string): string {
  if (!text.startsWith('(') || depthsOf(text).indexOf(0) !== text.length - 1) return text
  return withoutParentheses(text.slice(1, -1))
}

function splitOutside(text: string, separator: string): readonly string[] {
  const depths = depthsOf(text)
  const place = depths.findIndex((depth, at) => depth === 0 && text.startsWith(separator, at))
  if (place < 0) return [text]
  return [text.slice(0, place), ...splitOutside(text.slice(place + separator.length), separator)]
}

/** Which names of a plan stand for the same value. */
function createClasses() {
  const parents = new Map<string, string>()
  function rootOf(name: string): string {
    const parent = parents.get(name)
    return parent === undefined ? name : rootOf(parent)
  }
  return {
    join(one: string, other: string): void {
      const [from, to] = [rootOf(one), rootOf(other)]
      if (from !== to) parents.set(from, to)
    },
    /** The name, and all that stand for the same. */
    alike: (name: string): readonly string[] =>
      [name, ...parents.keys(), ...parents.values()].filter((each) => rootOf(each) === rootOf(name)),
  }
}

type Classes = ReturnType<typeof createClasses>

/**
 * How a plan restricts each use of the tables, whose rows name their workspace in `workspace_id`. The plan is one with `verbose` and for
 * any values. The server has derived from a statement's conditions which columns are equal, and writes these conditions where it
 * reads the tables.
 */
export function tableUses(plan: PlanNode, tables: readonly string[]): readonly TableUse[] {
  const nodes = nodesOf(plan)
  const classes = createClasses()
  const conjuncts = nodes.flatMap(conditionsOf).flatMap(conjunctsOf)
  for (const [, one = '', other = ''] of conjuncts.map((each) => EQUAL.exec(each) ?? []))
    classes.join(one, other)
  joinResults(nodes, classes)
  joinHashed(nodes, classes)
  const listed = new Set(conjuncts.map((each) => ONE_OF.exec(each)?.[1]))
  const uses = nodes
    .filter((node) => node.Schema === 'taskboard' && node.Operation === undefined)
    .map(({ 'Relation Name': table = '', Alias: alias }) => ({ table, name: `${alias}.workspace_id` }))
    .filter(({ table }) => tables.includes(table))
  const columns = new Set(uses.map(({ name }) => name))
  return uses.map(({ table, name }) => {
    const alike = classes.alike(name).filter((each) => each !== '')
    if (alike.some((each) => each.startsWith('$'))) return { table, restriction: 'one' }
    const isGiven = alike.some((each) => listed.has(each) || !columns.has(each))
    return { table, restriction: isGiven ? 'several' : 'none' }
  })
}

/** A column of a query's result is the column of that name that the query puts out. */
function joinResults(nodes: readonly VerboseNode[], classes: Classes): void {
  for (const node of nodes) {
    const query = node['CTE Name'] === undefined ? undefined : `CTE ${node['CTE Name']}`
    const inner =
      node['Node Type'] === 'Subquery Scan'
        ? node.Plans?.[0]
        : nodes.find((each) => query !== undefined && each['Subplan Name'] === query)
    for (const name of node.Output ?? []) {
      const column = name.split('.')[1]
      const sources = (inner?.Output ?? []).filter(
        (each) => /^\w+\.\w+$/.test(each) && each.split('.')[1] === column,
      )
      if (column !== undefined && sources.length === 1) classes.join(name, sources[0] ?? '')
    }
  }
}

function joinHashed(nodes: readonly VerboseNode[], classes: Classes): void {
  const texts = nodes.flatMap((node) => [...conditionsOf(node), ...(node.Output ?? [])])
  for (const [, name = '', query, place] of texts.flatMap((text) => [
    ...text.replaceAll(/::text\b/g, '').matchAll(HASHED),
  ])) {
    const column = nodes.find((each) => each['Subplan Name'] === query)?.Output?.[Number(place) - 1]
    if (column !== undefined) classes.join(name, column)
  }
}
