import type { Approval, DecideApprovalBody, ListApprovalsQuery } from '@taskboard/client'
import type { Cli } from '../cli.js'
import { CliError } from '../cli-error.js'
import { type Call, type Command, textOf } from '../command.js'
import { approvalPage, approvalTable } from './approval-text.js'
import { isShort, shortApprovalIdOf, taskIdOf } from './short-id.js'

/** The approval of an id, or the only one that a task waits for. */
async function approvalIdOf(call: Call, id: string): Promise<string> {
  if (isShort(id)) return shortApprovalIdOf(call, id)
  if (!id.startsWith('task_')) return id
  const client = await call.cli.client()
  const { approvals } = await client.approvals.list({ task_id: id, status: 'pending' })
  const [only, ...others] = approvals
  if (only === undefined) throw new CliError('unknown', `${id} waits for no approval`)
  if (others.length === 0) return only.id
  throw new CliError(
    'conflict',
    `${id} waits for several approvals: ${approvals.map((one) => one.id).join(', ')}`,
  )
}

/** What was seen: by who passes its digest, or by who is shown the approval here and says yes. */
async function seenDigest(
  cli: Cli,
  approval: Approval,
  given: string | undefined,
  verb: string,
): Promise<string> {
  if (given === undefined && (!cli.isTerminal || cli.output.isJson)) {
    const look = `taskboard approvals show ${approval.id}`
    throw new CliError(
      'usage',
      `look at the approval with \`${look}\`, and pass its digest: --digest <digest>`,
    )
  }
  cli.output.show(`${approvalPage(approval, cli.output.paint)}\n`)
  if (given !== undefined) return given
  const answer = await cli.ask(`${verb} this? [y/N]`)
  if (/^y(es)?$/i.test(answer)) return approval.input_digest
  throw new CliError('failed', `${approval.id} was not decided`)
}

function decide(verb: 'Approve' | 'Reject', decision: DecideApprovalBody['decision']): Command['run'] {
  return async (call) => {
    const { cli, args, options } = call
    const client = await cli.client()
    const approval = await client.approvals.get(await approvalIdOf(call, args[0] ?? ''))
    const digest = await seenDigest(cli, approval, textOf(options, 'digest'), verb)
    const comment = textOf(options, 'comment')
    const decided = await client.approvals.decide(approval.id, { decision, comment, digest })
    cli.output.result(decided, `${decided.id}  ${decided.status}`)
  }
}

async function list(call: Call): Promise<void> {
  const { cli, options } = call
  const task = textOf(options, 'task')
  const client = await cli.client()
  const page = await client.approvals.list({
    status: (textOf(options, 'status') ?? 'pending') as ListApprovalsQuery['status'],
    task_id: task === undefined ? undefined : await taskIdOf(call, task),
    limit: textOf(options, 'limit'),
    cursor: textOf(options, 'cursor'),
  })
  cli.output.result(page, () => approvalTable(page.approvals, cli.output))
}

async function show(call: Call): Promise<void> {
  const { cli, args } = call
  const client = await cli.client()
  const approval = await client.approvals.get(await approvalIdOf(call, args[0] ?? ''))
  cli.output.result(approval, () => approvalPage(approval, cli.output.paint))
}

const approval = {
  name: 'approval',
  summary: 'the id of the approval, or of the task that waits for it, or at least its last four characters',
}
const decisionOptions = [
  { flags: '--comment <text>', summary: 'for the agent' },
  { flags: '--digest <digest>', summary: 'the digest that was looked at; without a terminal it is required' },
]

export const approvalCommands: readonly Command[] = [
  {
    name: 'approvals',
    summary: 'Lists what agents want to do, with the input and its digest',
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
    name: 'approvals show',
    summary: 'Shows an approval with the exact input and its digest',
    arguments: [approval],
    scopes: ['tasks:read'],
    json: { operation: 'getApproval' },
    run: show,
  },
  {
    name: 'approve',
    summary: 'Shows what an agent asked for, and lets it do that, once',
    arguments: [approval],
    options: decisionOptions,
    scopes: ['approvals:write', 'tasks:read'],
    json: { operation: 'decideApproval' },
    run: decide('Approve', 'approved'),
  },
  {
    name: 'reject',
    summary: 'Shows what an agent asked for, and forbids it',
    arguments: [approval],
    options: decisionOptions,
    scopes: ['approvals:write', 'tasks:read'],
    json: { operation: 'decideApproval' },
    run: decide('Reject', 'rejected'),
  },
]
