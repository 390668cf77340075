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
  if (only === undefined) throw new CliError('unknown', `${id} has no pending approval`)
  if (others.length === 0) return only.id
  throw new CliError(
    'conflict',
    `${id} has several pending approvals: ${approvals.map((one) => one.id).join(', ')}`,
  )
}

/** The digest that the person has seen: it is passed as an option, or the approval is shown here and the person says yes. */
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
      `check the approval with \`${look}\`, then pass its digest: --digest <digest>`,
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
  summary: 'the id of the approval or its task, or at least the last four characters',
}
const decisionOptions = [
  { flags: '--comment <text>', summary: 'a comment for the agent' },
  {
    flags: '--digest <digest>',
    summary: 'the digest of the input that you checked; required without a terminal',
  },
]

export const approvalCommands: readonly Command[] = [
  {
    name: 'approvals',
    summary: 'List approval requests, each with its input and digest',
    options: [
      {
        flags: '--status <status>',
        summary: 'default pending',
        choices: ['pending', 'approved', 'rejected', 'used', 'expired'],
      },
      { flags: '--task <task>', summary: 'only requests of this task' },
      { flags: '--limit <count>', summary: 'the size of a page: 1 to 1000, default 100' },
      { flags: '--cursor <cursor>', summary: 'the `next_cursor` of the previous page' },
    ],
    scopes: ['tasks:read'],
    json: { operation: 'listApprovals' },
    run: list,
  },
  {
    name: 'approvals show',
    summary: 'Show an approval request with its exact input and digest',
    arguments: [approval],
    scopes: ['tasks:read'],
    json: { operation: 'getApproval' },
    run: show,
  },
  {
    name: 'approve',
    summary: 'Show an approval request, and allow the action once',
    arguments: [approval],
    options: decisionOptions,
    scopes: ['approvals:write', 'tasks:read'],
    json: { operation: 'decideApproval' },
    run: decide('Approve', 'approved'),
  },
  {
    name: 'reject',
    summary: 'Show an approval request, and reject it',
    arguments: [approval],
    options: decisionOptions,
    scopes: ['approvals:write', 'tasks:read'],
    json: { operation: 'decideApproval' },
    run: decide('Reject', 'rejected'),
  },
]
