import { can, client, workspaceId } from '../state/api.js'
import type { TaskAnalytics, UsageSum } from '../state/wire.js'
import type { Period } from './period.js'

/** Everything that the page shows of a period. */
export interface Analytics {
  readonly tasks: TaskAnalytics
  readonly byDay: readonly UsageSum[]
  readonly byType: readonly UsageSum[]
  readonly byAgent: readonly UsageSum[]
  readonly byModel: readonly UsageSum[]
  /** The names of the agents, by their ids. */
  readonly agents: ReadonlyMap<string, string>
}

const PAGE_SIZE = 1_000
/** Groups beyond these aren't shown. */
const MOST_PAGES = 5

async function readUsage(
  { from, to }: Period,
  groupBy: 'day' | 'type' | 'agent' | 'model',
  abort: AbortSignal,
): Promise<readonly UsageSum[]> {
  const query = { from, to, group_by: groupBy, workspace_id: workspaceId(), limit: PAGE_SIZE } as const
  const sums: UsageSum[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const { usage, next_cursor: next } = await client.analytics.usage({ ...query, cursor }, { signal: abort })
    sums.push(...usage)
    if (next === null) break
    cursor = next
  }
  return sums
}

async function readAgentNames(abort: AbortSignal): Promise<ReadonlyMap<string, string>> {
  if (!can('agents:read')) return new Map()
  const { agents } = await client.agents.list(
    { workspace_id: workspaceId(), limit: PAGE_SIZE },
    { signal: abort },
  )
  return new Map(agents.map(({ id, name }) => [id, name]))
}

/** Reads the figures of a period. */
export async function readAnalytics(period: Period, abort: AbortSignal): Promise<Analytics> {
  const { from, to, by } = period
  const [tasks, byDay, byType, byAgent, byModel, agents] = await Promise.all([
    client.analytics.tasks({ from, to, group_by: by, workspace_id: workspaceId() }, { signal: abort }),
    readUsage(period, 'day', abort),
    readUsage(period, 'type', abort),
    readUsage(period, 'agent', abort),
    readUsage(period, 'model', abort),
    readAgentNames(abort),
  ])
  return { tasks, byDay, byType, byAgent, byModel, agents }
}

export const tokensOf = (sum: Pick<UsageSum, 'input_tokens' | 'output_tokens'>): number =>
  sum.input_tokens + sum.output_tokens

/** The sum of a number of each. */
export function total<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0)
}
