import { defineAgent, type AgentDefinition, type Task, type TaskContext } from '@taskboard/core'
import { answerChat } from './chat.js'
import { parseChecklist, readLine, type Step } from './checklist.js'
import { describeLine, quote, writeReport, type WorkedStep } from './checklist-report.js'
import { ALERTED, APPROVED, readEarlierWork, titleOf, type EarlierWork } from './earlier-work.js'

export interface ChecklistAgentOptions {
  /** How long the agent works on each line, so that a person can watch. 0 for none. */
  readonly stepMs: number
  /** The current time, for chat messages such as `due tomorrow`. Default: the process's clock. */
  readonly now?: () => number
}

/**
 * How many tasks it works on at the same time. The samples of a new board are two at most, so that one that a person adds never waits
 * for them.
 */
export const TASKS_AT_ONCE = 3
/** The most lines that are worked; the report has the number of the others. */
const MOST_STEPS = 200
/** The most subtasks of a checklist: a task depends on at most 50 others. */
const MOST_SUBTASKS = 50
/** The longest time of a `wait` line. */
const LONGEST_WAIT_MS = 30_000
const MOST_LINKS = 20
const LONGEST_LINK = 2_000
const LONGEST_SUMMARY = 2_000

/**
 * An agent that needs no external service. It runs a task's description as a checklist, line by line, and returns a report of it.
 *
 * `- [x] done before`, `- item`, `1. item` and plain lines are steps. `wait 2s` waits, up to 30 s. `alert: text` alerts the
 * workspace's people. `? question` asks them, `! action` waits for their approval, and `+ title` becomes a subtask whose result is waited for.
 * `blocked: reason` and `needs input: question` put the task on hold. Once a person has released it, the agent treats that as
 * done and resumes.
 *
 * An attempt ends at each question, request for approval and group of subtasks, and the next one starts from the first line. The agent keeps
 * nothing in memory: see `readEarlierWork`.
 */
export function checklistAgent({ stepMs, now = Date.now }: ChecklistAgentOptions): AgentDefinition {
  return defineAgent({
    // This works for agents of every type.
    type: '*',
    name: 'Checklist agent',
    concurrency: TASKS_AT_ONCE,
    run: (task, context) => workChecklist(task, context, stepMs),
    chat: (message, { board }) => answerChat(board, message, now()),
  })
}

async function workChecklist(task: Task, context: TaskContext, stepMs: number): Promise<string> {
  const all = parseChecklist(task.description ?? '')
  const steps = all.slice(0, MOST_STEPS)
  const earlier = await readEarlierWork(task, steps, context)
  const addLinks = await linkAdder(task, context)
  const worked: WorkedStep[] = []
  for (const [index, step] of steps.entries()) {
    const known = earlier.outcomes[index] ?? null
    if (known === null) await context.sleep(stepMs)
    const done = known ?? (await workStep({ task, steps, index, step, earlier }, context))
    if (done === null) return ''
    const result = typeof done === 'string' ? { step, outcome: done } : { step, ...done }
    worked.push(result)
    await addLinks(step)
    await context.log(`${worked.length}/${steps.length} ${step.text} (${result.outcome})`)
    await context.progress((100 * worked.length) / steps.length)
  }
  return writeReport(task.title, worked, all.length - steps.length)
}

/** Adds the links of a step to the task's outputs, except those that an earlier attempt has added. */
async function linkAdder({ id }: Task, { claim, board, output }: TaskContext) {
  const before = claim.earlierAttempts.length > 0 ? await board.outputs(id) : []
  const urls = new Set(before.map(({ url }) => url))
  return async ({ text }: Step): Promise<void> => {
    for (const url of readLine(text).links) {
      if (urls.has(url) || urls.size >= MOST_LINKS || url.length > LONGEST_LINK || !URL.canParse(url))
        continue
      urls.add(url)
      await output({ type: 'link', name: new URL(url).host, url })
    }
  }
}

interface Work {
  readonly task: Task
  readonly steps: readonly Step[]
  readonly index: number
  readonly step: Step
  readonly earlier: EarlierWork
}

type Outcome = string | Pick<WorkedStep, 'outcome' | 'isRefused'>

/** Works on one line and returns the outcome; null when the run is over, because the task waits for people or for subtasks. */
async function workStep(work: Work, context: TaskContext): Promise<Outcome | null> {
  const { step, earlier } = work
  switch (step.kind) {
    case 'ticked':
      return 'ticked off before'
    case 'item':
      return describeLine(step.text)
    case 'wait': {
      const waitMs = Math.min(step.waitMs, LONGEST_WAIT_MS)
      await context.sleep(waitMs)
      await earlier.note(step)
      return waitMs < step.waitMs ? `waited ${waitMs} ms, the most that is allowed` : `waited ${waitMs} ms`
    }
    case 'alert':
      await context.alert(step.text)
      await earlier.note(step)
      return ALERTED
    case 'question':
      if (wasAskedBefore(step.text, context)) return 'a person was asked, and released the task'
      await earlier.keep()
      await context.hold('needs_input', step.text)
      return null
    case 'ask':
      await earlier.keep()
      return context.ask(step.text)
    case 'approval':
      return doWhenApproved(work, context)
    case 'subtask':
      return splitOff(work, context)
  }
}

function wasAskedBefore(question: string, { claim }: TaskContext): boolean {
  return claim.earlierAttempts.some(({ outcome, reason }) => outcome === 'held' && reason === question)
}

/** Does what the line says when a person has approved it. For this agent, that is to say so in the log. */
async function doWhenApproved({ steps, index, step, earlier }: Work, context: TaskContext): Promise<Outcome> {
  await earlier.keep()
  // All that the action depends on: equal lines are approved one by one.
  const place = steps
    .slice(0, index)
    .filter(({ kind, text }) => kind === step.kind && text === step.text).length
  const { decision, comment } = await context.approval({
    action: 'work a line',
    summary: step.text.slice(0, LONGEST_SUMMARY).toWellFormed(),
    input: { line: step.text, place: place + 1 },
  })
  if (decision === 'rejected') {
    return { outcome: `not done: rejected${comment === null ? '' : `: ${quote(comment)}`}`, isRefused: true }
  }
  await earlier.note(step)
  // At once: the approval is used up, and an attempt that does not find this note asks for another one.
  await earlier.keep()
  return APPROVED
}

function isSubtask({ kind }: Step): boolean {
  return kind === 'subtask'
}

/** Makes subtasks of the line and of those that follow it directly, so that they are worked side by side. */
async function splitOff(
  { task, steps, index, earlier }: Work,
  { delegate }: TaskContext,
): Promise<Outcome | null> {
  const room = MOST_SUBTASKS - steps.slice(0, index).filter(isSubtask).length
  if (room <= 0)
    return { outcome: `not done: a checklist has at most ${MOST_SUBTASKS} subtasks`, isRefused: true }
  const rest = steps.slice(index)
  const behind = rest.findIndex((step) => !isSubtask(step))
  const group = rest.slice(0, Math.min(room, behind === -1 ? rest.length : behind))
  const undone = group.filter((_step, place) => earlier.outcomes[index + place] === null)
  await earlier.keep()
  await delegate(
    undone.map((step) => ({ title: titleOf(step), priority: task.priority })),
    { wait: true },
  )
  return null
}
