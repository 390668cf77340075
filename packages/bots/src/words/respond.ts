import type { BotDesk, Spoken, TaskReport } from '@taskboard/core/transport'
import { isolated, shortened, type BotMessage, type RichText } from '../cards/rich-text.js'
import { type Command, readCode, readCommand, readTask, type WrittenTask } from './command.js'
import { shownTime } from '../cards/shown-time.js'
import { dueAt } from './due.js'

/** A message that a person wrote to a bot. */
export interface Written {
  readonly text: string
  /** Whether it was written as a command, such as `/task`. */
  readonly isCommand: boolean
}

const say = (text: RichText): BotMessage => ({ text, buttons: [] })
const sayLine = (line: string): BotMessage => say([[line]])

/**
 * Carries out a message. Resolves with the response; null when a card says it all, when no response is needed, and for a second delivery.
 * @throws TaskboardError with a message for the person who wrote it.
 */
export async function respond(
  desk: BotDesk,
  spoken: Spoken,
  { text, isCommand }: Written,
): Promise<BotMessage | null> {
  if (!isCommand) {
    if (spoken.replyTo !== null && (await desk.isCard(spoken))) return reply(desk, spoken, text)
    // In a conversation of several people only commands, and replies to cards, are for the bot.
    if (!spoken.conversation.isDirect) return null
    const code = readCode(text)
    if (code !== null) return offerLink(desk, spoken, code)
  }
  const command = readCommand(text)
  if (command.kind !== 'task') return runCommand(desk, spoken, command)
  // Once more, as the names of agents are part of what is understood.
  return addTask(desk, spoken, readTask(text.trim(), await desk.agentNames(spoken)))
}

async function reply(desk: BotDesk, spoken: Spoken, text: string): Promise<BotMessage | null> {
  const replied = await desk.reply(spoken, text)
  if (replied === null) return null
  return sayLine(replied.kind === 'answer' ? 'Thanks, the agent has your answer.' : 'Added as a comment.')
}

async function addTask(desk: BotDesk, spoken: Spoken, written: WrittenTask): Promise<null> {
  const { title, description, priority, due, agent, tags, type } = written
  const dueDate = due === null ? undefined : dueAt(due, desk.now(), (await desk.member(spoken)).timeZone)
  await desk.add(spoken, {
    title,
    description,
    tags,
    ...(priority === null ? {} : { priority }),
    ...(dueDate === undefined ? {} : { dueDate }),
    ...(agent === null ? {} : { agent }),
    ...(type === null ? {} : { type }),
  })
  return null
}

async function runCommand(
  desk: BotDesk,
  spoken: Spoken,
  command: Exclude<Command, { readonly kind: 'task' }>,
): Promise<BotMessage | null> {
  switch (command.kind) {
    case 'help':
      await desk.countMessage(spoken)
      return say(HELP)
    case 'list':
    case 'mine':
      return listed(await desk.list(spoken, { mine: command.kind === 'mine' }), command.kind)
    case 'status':
      await desk.showCard(spoken, command.handle)
      return null
    case 'why':
      return explained(await desk.report(spoken, command.handle), desk.now())
    case 'cancel': {
      const cancelled = await desk.cancel(spoken, command.handle)
      return cancelled && sayLine(`Cancelled: ${short(cancelled.title)}`)
    }
    case 'priority': {
      const changed = await desk.setPriority(spoken, command.handle, command.priority)
      return changed && sayLine(`The priority of ${short(changed.title)} is ${command.priority}.`)
    }
    case 'comment': {
      const replied = await desk.comment(spoken, command.handle, command.text)
      return replied && sayLine(`Added as a comment on ${short(replied.title)}.`)
    }
    case 'link':
      return offerLink(desk, spoken, command.code)
    case 'connect': {
      const connected = await desk.connect(spoken, command.workspace)
      return connected && sayLine(`Tasks of this conversation go to ${short(connected.workspaceName)}.`)
    }
  }
}

async function offerLink(desk: BotDesk, spoken: Spoken, code: string): Promise<BotMessage | null> {
  const offer = await desk.offerLink(spoken, code)
  if (offer === null) return null
  return {
    text: [
      [`Link this account to ${short(offer.user)} of ${short(offer.account)}?`],
      ['You then write here as that user.'],
    ],
    buttons: [
      { label: 'Link', token: offer.accept, kind: 'good' },
      { label: 'Do not link', token: offer.decline, kind: 'plain' },
    ],
  }
}

const short = (text: string): string => isolated(shortened(text, 200))

const HELP: RichText = [
  [{ bold: 'Write a task' }, ' after /task, or in a direct message. At its end you can add, after commas:'],
  ['urgent, high or low · due tomorrow 17:00 · for an agent · #tag · type research'],
  ['/task "Compare the offers, again", high, due friday'],
  [{ bold: 'Commands' }, ': list · mine · status #k3x9wd · why #k3x9wd · cancel #k3x9wd'],
  ['priority #k3x9wd high · comment #k3x9wd text · connect a workspace'],
  ['In reply to a card you can leave out the #. Any other reply is an answer or a comment.'],
]

function listed(reports: readonly TaskReport[], which: 'list' | 'mine'): BotMessage {
  if (reports.length === 0) return sayLine(which === 'mine' ? 'No open task of yours here.' : 'No open task.')
  return say(
    reports.map(({ task, handle, agent }) => [
      `${task.column === 'DOING' ? '⚙️' : task.hold === null ? '🕓' : '⏸️'} `,
      { bold: isolated(shortened(task.title, 100)) },
      ` ${handle}${agent === null ? '' : ` · ${isolated(shortened(agent, 40))}`}`,
    ]),
  )
}

/** Why an agent doesn't pick up a task, or the reason that the task waits. */
function explained({ task, handle, agent, openApproval, timeZone }: TaskReport, now: number): BotMessage {
  const reasons: string[] = []
  if (task.column === 'DONE') reasons.push('It is done.')
  if (task.column === 'DOING')
    reasons.push(agent === null ? 'Someone works on it.' : `${short(agent)} works on it.`)
  if (openApproval !== null) reasons.push(`It waits for a decision: ${short(openApproval.summary)}`)
  else if (task.hold?.reason === 'needs_input') reasons.push('It waits for an answer to its question.')
  else if (task.hold !== null)
    reasons.push(`It is on hold (${task.hold.reason}). ${short(task.hold.message ?? '')}`)
  if (task.openDependencies > 0) reasons.push(`It waits for ${task.openDependencies} other tasks.`)
  if (task.notBefore !== null && task.notBefore > now)
    reasons.push(`It begins ${shownTime(task.notBefore, timeZone)}.`)
  if (reasons.length === 0) {
    reasons.push(agent === null ? 'It waits for the next free agent.' : `It waits for ${short(agent)}.`)
  }
  return say([
    [{ bold: isolated(shortened(task.title, 200)) }, ` ${handle}`],
    ...reasons.map((reason) => [reason]),
  ])
}
