import type { Approval } from '@taskboard/client'
import { CliError } from '../cli-error.js'
import type { Call } from '../command.js'
import type { Output } from '../output/output.js'
import { oneLine } from '../output/text.js'

/** How many of the newest tasks, or approvals, are searched for the end of an id. */
const SEARCHED = 10_000
const PAGE = 1_000
const LENGTH = 8
const WIDE = 100
const END_OF_ID = /^[0-9a-hjkmnp-tv-z]{4,25}$/

/** Whether ids would leave no room for the rest of a line. */
export function isNarrow({ width }: Pick<Output, 'width'>): boolean {
  return width !== null && width < WIDE
}

/** The end of an id, which is random: its beginning is the time, which all tasks of a day share. */
export function shortId(id: string): string {
  return id.slice(-LENGTH)
}

/** Whether it can be the end of an id, and is none. */
export const isShort = (wanted: string): boolean => END_OF_ID.test(wanted)

/** The task of an id, or of the end of one. The latter requires `tasks:read`. */
export async function taskIdOf({ cli }: Call, wanted: string): Promise<string> {
  if (!isShort(wanted)) return wanted
  const workspace_id = cli.env['TASKBOARD_WORKSPACE']?.trim() || undefined
  const tasks = (await cli.client()).tasks.listAll({ limit: PAGE, workspace_id })
  return onlyOne(wanted, tasks, 'task', ({ id }) => id.endsWith(wanted))
}

/** The approval whose id ends so, or that the task waits for whose id ends so. */
export async function shortApprovalIdOf({ cli }: Call, wanted: string): Promise<string> {
  const approvals = (await cli.client()).approvals.listAll({ limit: PAGE })
  const isMeant = ({ id, task_id: taskId, status }: Approval): boolean =>
    id.endsWith(wanted) || (status === 'pending' && taskId.endsWith(wanted))
  return onlyOne(wanted, approvals, 'approval', isMeant)
}

async function onlyOne<T extends { readonly id: string }>(
  wanted: string,
  all: AsyncIterable<T>,
  kind: string,
  isMeant: (one: T) => boolean,
): Promise<string> {
  const found: string[] = []
  let count = 0
  for await (const one of all) {
    if (isMeant(one)) found.push(one.id)
    if ((count += 1) === SEARCHED) break
  }
  const [id, other] = found
  if (id === undefined)
    throw new CliError('unknown', `there is no ${kind} with an id that ends with ${wanted}`)
  if (other === undefined) return id
  throw new CliError('conflict', `several ids end with ${wanted}: ${oneLine(found.join(', '))}`)
}
