import type { Approval, DecideApprovalBody, ListApprovalsQuery, TaskboardClient } from '@taskboard/client'
import { CliError } from '../cli-error.js'
import { type Call, type Command, textOf } from '../command.js'
import { textTable } from '../output/text.js'

/** The approval of an id, or the only one that a task waits for. */
async function approvalIdOf(client: TaskboardClient, id: string): Promise<string> {
  if (!id.startsWith('task_')) return id
  const { approvals } = await client.approvals.list({ task_id: id, status: 'pending' })
  const [only, ...others] = approvals
  if (only === undefined) throw new CliError('unknown', `${id} waits for no approval`)
  if (others.length === 0) return only.id
  throw new CliError(
    'conflict',
    `${id} waits for several approvals: ${approvals.map((one) => one.id).join(', ')}`,
  )
}

function decide(decision: DecideApprovalBody['decision']): Command['run'] {
  return async ({ cli, args: [id = ''], options }) => {
    const client = await cli.client()
    const approvalId = await approvalIdOf(client, id)
    const approval = await client.approvals.decide(approvalId, {
      decision,
      comment: textOf(options, 'comment'),
    })
    cli.output.result(approval, `${approval.id}  ${approval.status}`)
  }
}

const approvalRow = ({ id, task_id: taskId, status, action, summary }: Approval) => [
  id,
  taskId,
  status,
  action,
  summary,
]

async function list({ cli, options }: Call): Promise<void> {
  const client = await cli.client()
  const page = await client.approvals.list({
    status: (textOf(options, 'status') ?? 'pending') as ListApprovalsQuery['status'],
    task_id: textOf(options, 'task'),
    limit: textOf(options, 'limit'),
    cursor: textOf(options, 'cursor'),
  })
  cli.output.result(page, () =>
    page.approvals.length === 0
      ? 'no approvals'
      : textTable(['ID', 'TASK', 'STATUS', 'ACTION', 'SUMMARY'], page.approvals.map(approvalRow), cli.output),
  )
}

const approval = { name: 'approval', summary: 'the id of the approval, or of the task that waits for it' }
const comment = { flags: '--comment <text>', summary: 'for the agent' }

export const approvalCommands: readonly Command[] = [
  {
    name: 'approvals',
    summary: 'Lists what agents want to do',
    options: [
      {
        flags: '--status <status>',
        summary: 'default pending',
        choices: ['pending', 'approved', 'rejected', 'used', 'expired'],
      },
      { flags: '--task <task>', summary: 'only of this task' },
      { flags: '--limit <count>', summary: 'how many: 1 to 1000, default 100' },
      { flags: '--cursor <cursor>', summary: 'continues an earlier page' },
    ],
    scopes: ['tasks:read'],
    json: { operation: 'listApprovals' },
    run: list,
  },
  {
    name: 'approve',
    summary: 'Lets an agent do what it asked for',
    arguments: [approval],
    options: [comment],
    scopes: ['approvals:write', 'tasks:read'],
    json: { operation: 'decideApproval' },
    run: decide('approved'),
  },
  {
    name: 'reject',
    summary: 'Forbids an agent what it asked for',
    arguments: [approval],
    options: [comment],
    scopes: ['approvals:write', 'tasks:read'],
    json: { operation: 'decideApproval' },
    run: decide('rejected'),
  },
]
