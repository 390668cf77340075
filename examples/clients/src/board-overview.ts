import { askGraphql } from './ask-graphql.js'
import type { ServerAccess } from './server-access.js'

interface OverviewTask {
  readonly id: string
  readonly title: string
  /** In percent. */
  readonly progress: number
  readonly agent: { readonly name: string; readonly type: string } | null
  /** ISO 8601 UTC; null while unknown. */
  readonly estimatedCompletion: string | null
}

interface TaskPage {
  readonly edges: readonly { readonly node: OverviewTask }[]
}

/** The tasks, agents and figures of a board. */
export interface BoardOverview {
  readonly name: string
  readonly waiting: TaskPage
  readonly underWay: TaskPage
  readonly done: TaskPage
  readonly agents: readonly {
    readonly id: string
    readonly name: string
    readonly status: string
    readonly currentWorkload: number
  }[]
  readonly analytics: {
    readonly tasksCompleted: number
    /** In hours. */
    readonly timesSaved: number
    /** 0 to 1. */
    readonly successRate: number
  }
}

/** The documented query, with its tasks once for each column. */
const OVERVIEW = /* GraphQL */ `
  query Overview($id: ID!) {
    workspace(id: $id) {
      name
      waiting: tasks(first: 10, status: PENDING) {
        ...page
      }
      underWay: tasks(first: 10, status: IN_PROGRESS) {
        ...page
      }
      done: tasks(first: 10, status: COMPLETED) {
        ...page
      }
      agents {
        id
        name
        status
        currentWorkload
      }
      analytics(period: LAST_7_DAYS) {
        tasksCompleted
        timesSaved
        successRate
      }
    }
  }
  fragment page on TaskConnection {
    edges {
      node {
        id
        title
        progress
        agent {
          name
          type
        }
        estimatedCompletion
      }
    }
  }
`

/** Reads a workspace's board in one request. @throws Error when there is no such workspace, or the request fails. */
export async function readOverview(access: ServerAccess, workspaceId: string): Promise<BoardOverview> {
  const { workspace } = await askGraphql<{ workspace: BoardOverview | null }>(access, OVERVIEW, {
    id: workspaceId,
  })
  if (workspace === null) throw new Error(`there is no workspace ${workspaceId}`)
  return workspace
}

/** A board for a terminal. */
export function drawOverview({ name, waiting, underWay, done, agents, analytics }: BoardOverview): string {
  const { tasksCompleted, timesSaved, successRate } = analytics
  const lines = [
    name,
    ...drawColumn('Waiting', waiting),
    ...drawColumn('In progress', underWay),
    ...drawColumn('Done', done),
    '  Agents',
    ...agents.map((one) => `    ${one.name}: ${one.status.toLowerCase()}, ${one.currentWorkload} to do`),
    tasksCompleted === 0
      ? '  Last 7 days: no tasks done'
      : `  Last 7 days: ${tasksCompleted} done (${Math.round(100 * successRate)} % of what ended), ${timesSaved} hours saved`,
  ]
  return lines.map(withoutControls).join('\n')
}

function drawColumn(title: string, { edges }: TaskPage): readonly string[] {
  const tasks = edges.map(({ node }) => `    ${describeTask(node)}`)
  return [`  ${title}`, ...(tasks.length === 0 ? ['    nothing'] : tasks)]
}

function describeTask({ id, title, progress, agent, estimatedCompletion }: OverviewTask): string {
  const parts = [`${title} (${id})`, `${progress} %`]
  if (agent !== null) parts.push(`${agent.name} (${agent.type})`)
  if (estimatedCompletion !== null && progress < 100) parts.push(`until ${estimatedCompletion}`)
  return parts.join(', ')
}

/** Titles and names are other people's text, which must not control the terminal. */
function withoutControls(line: string): string {
  return line.replaceAll(/\p{C}/gu, '')
}
