import type { Approval } from '@taskboard/client'
import type { Output } from '../output/output.js'
import type { Paint } from '../output/colours.js'
import { exact, exactJson, oneLine, plain, textTable } from '../output/text.js'
import { isNarrow, shortId } from './short-id.js'

const HEADINGS = ['ID', 'TASK', 'STATUS', 'DIGEST', 'ACTION', 'SUMMARY']
/** Of an input in a list, where no terminal has a width. */
const LONGEST_LINE = 200

/** A line for each approval, and below it the line of its input. */
export function approvalTable(approvals: readonly Approval[], output: Output): string {
  if (approvals.length === 0) return 'no approvals'
  const idOf = isNarrow(output) ? shortId : (id: string) => id
  const rows = approvals.map((one) => [
    idOf(one.id),
    idOf(one.task_id),
    one.status,
    one.short_digest,
    exact(one.action),
    one.summary,
  ])
  const [headings = '', ...lines] = textTable(HEADINGS, rows, output).split('\n')
  return [
    headings,
    ...lines.flatMap((line, index) => [line, inputLine(approvals[index] as Approval, output)]),
  ].join('\n')
}

function inputLine({ input }: Approval, { width }: Output): string {
  const text = `  ${exactJson(input)}`
  const most = width ?? LONGEST_LINE
  if (text.length <= most) return text
  const rest = `… (${text.length - 2} characters)`
  return `${text.slice(0, Math.max(1, most - rest.length))}${rest}`
}

/** All that a person has to see of an approval before they decide. */
export function approvalPage(approval: Approval, paint: Paint): string {
  const { requested_by: by, decided_by: decider } = approval
  const facts = Object.entries({
    status: approval.status,
    task: approval.task_id,
    action: exact(approval.action),
    digest: approval.short_digest,
    agent: approval.agent_id,
    'asked by': approval.asker === 'credential' ? `${by.kind} ${by.id}` : approval.asker,
    'asked at': approval.requested_at,
    expires: approval.status === 'pending' ? approval.expires_at : null,
    'decided by': decider && [decider.kind, decider.id].filter((part) => part !== null).join(' '),
    'decided at': approval.decided_at,
    'used at': approval.used_at,
  }).flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(12)}${oneLine(value)}`]))
  return [
    paint('bold', oneLine(approval.id)),
    ...facts,
    `\n${paint('bold', 'Summary by the agent')}\n${plain(approval.summary)}`,
    `\n${paint('bold', 'Input')}\n${exactJson(approval.input, 2)}`,
    ...(approval.comment === null ? [] : [`\n${paint('bold', 'Comment')}\n${plain(approval.comment)}`]),
  ].join('\n')
}
