import {
  BREAK,
  execute,
  getOperationAST,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql'
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit'

export type Executor = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>

/** How often a document was used, and the plans of its operations by name; null for an operation without a plan. */
interface Usage {
  count: number
  readonly plans: Map<string, CompiledQuery | null>
}

/** A plan costs some milliseconds, so only a document that is sent again gets one. */
const PLAN_FROM_USE = 3

/**
 * Executes operations: a query by a plan from its third use on, everything else with graphql. A plan lives as long as its
 * document, and returns what graphql would return.
 */
export function createExecutor(planFromUse: number = PLAN_FROM_USE): Executor {
  const usages = new WeakMap<DocumentNode, Usage>()

  function planOf(args: ExecutionArgs): CompiledQuery | null {
    const { document, operationName } = args
    const usage = usages.get(document) ?? { count: 0, plans: new Map<string, CompiledQuery | null>() }
    if (usage.count === 0) usages.set(document, usage)
    usage.count += 1
    if (usage.count < planFromUse) return null
    const name = operationName ?? ''
    let plan = usage.plans.get(name)
    if (plan === undefined) usage.plans.set(name, (plan = makePlan(args)))
    return plan
  }

  return (args) => {
    const plan = planOf(args)
    if (plan === null) return execute(args)
    const result = plan.query(args.rootValue, args.contextValue, args.variableValues ?? {})
    // The variables do not fit and nothing has run: graphql reports the errors.
    const isRefused = !(result instanceof Promise) && result.data === undefined
    return isRefused ? execute(args) : result
  }
}

/**
 * Mutations run in series and are rare, so they have no plans. Nor have documents with directives: once a plan skips a fragment, it
 * skips it wherever it is spread.
 */
function makePlan({ schema, document, operationName }: ExecutionArgs): CompiledQuery | null {
  if (hasDirectives(document)) return null
  if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.QUERY) return null
  try {
    const made = compileQuery(schema, document, operationName ?? undefined)
    return isCompiledQuery(made) ? made : null
  } catch {
    // A host may forbid code generation at run time.
    return null
  }
}

function hasDirectives(document: DocumentNode): boolean {
  let isFound = false
  visit(document, {
    Directive() {
      isFound = true
      return BREAK
    },
  })
  return isFound
}
