import type { AccessStore, People, WorkspaceReach } from '../access/index.js'
import type { Agents } from '../agents/index.js'
import type { ApprovalDirectory, ApprovalStore, Board, CommentStore, TaskDirectory } from '../board/index.js'
import type { CallContext, Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { LimitStore, Quota, TierLimits } from '../limits/index.js'
import type { BotStore } from './bot-store.js'

export interface DeskDeps<Tx> {
  readonly environment: Environment
  readonly store: BotStore<Tx>
  readonly access: Pick<AccessStore<Tx>, 'listWorkspaces' | 'listAccounts'>
  readonly limits: LimitStore
  readonly people: People
  readonly reach: Pick<WorkspaceReach, 'includes'>
  readonly quota: Pick<Quota<Tx>, 'createTask'>
  readonly takeTierLimit: TierLimits['take']
  readonly board: (workspaceId: string) => Board<Tx>
  readonly tasks: Pick<TaskDirectory<Tx>, 'find' | 'locate' | 'search'>
  readonly approvals: Pick<ApprovalDirectory<Tx>, 'find' | 'search'>
  readonly approvalStore: Pick<ApprovalStore<Tx>, 'listApprovals' | 'decideApproval'>
  readonly comments: Pick<CommentStore<Tx>, 'insertComment'>
  readonly agents: Pick<Agents<Tx>, 'list'>
  readonly inOneCommit: <T>(call: CallContext<Tx>, work: (own: CallContext<Tx>) => Promise<T>) => Promise<T>
  readonly taskUrl: (taskId: string) => string | null
  /** A message was placed, or may show something else. */
  readonly onChanged: () => void
}

/** At most so many at a time. */
export const mostLinks = 5

/** For a person whose messenger account isn't linked. */
export const strangers = (): TaskboardError =>
  new TaskboardError(
    'UNAUTHORIZED',
    'this account is not linked: get a code in the dashboard and send it here',
  )

/** What people call a user: the address, else the name. */
export async function userName<Tx>(
  { people }: DeskDeps<Tx>,
  accountId: string,
  userId: string,
): Promise<string> {
  const found = await people.find(accountId, userId)
  const principal = await people.principal(userId)
  if (principal?.accountId !== accountId) throw strangers()
  return found?.email ?? principal.name ?? userId
}
