import { defineAgent, type AgentDefinition, type Task, type TaskContext } from '@taskboard/core'
import { answerChat } from './chat.js'
import { parseChecklist, readLine, type Step } from './checklist.js'
import { describeLine, writeReport, type WorkedStep } from './checklist-report.js'

export interface ChecklistAgentOptions {
  /** How long the agent works on each line, so that a person can watch. 0 for none. */
  readonly stepMs: number
  /** The current time, for chat messages such as `due tomorrow`. Default: the process's clock. */
  readonly now?: () => number
}

/** The most lines that are worked; the report has the number of the others. */
const MOST_STEPS = 200
/** The longest time of a `wait` line. */
const LONGEST_WAIT_MS = 30_000
const MOST_LINKS = 20
const LONGEST_LINK = 2_000

/**
 * An agent that needs no external service: it works a task's description as a checklist, a line at a time, and returns a report of
 * it.
 *
 * `- [x] done before`, `- item`, `1. item` and plain lines are steps. `wait 2s` waits, up to 30 s. `alert: text` alerts the
 * workspace's people. `blocked: reason` and `needs input: question` put the task on hold. Once a person has released it, the agent
 * treats the question as answered and resumes.
 */
export function checklistAgent({ stepMs, now = Date.now }: ChecklistAgentOptions): AgentDefinition {
  return defineAgent({
    // This works for agents of every type.
    type: '*',
    name: 'Checklist agent',
    run: (task, context) => workChecklist(task, context, stepMs),
    chat: (message, { board }) => answerChat(board, message, now()),
  })
}

async function workChecklist(task: Task, context: TaskContext, stepMs: number): Promise<string> {
  const all = parseChecklist(task.description ?? '')
  const steps = all.slice(0, MOST_STEPS)
  const worked: WorkedStep[] = []
  let links = 0
  for (const step of steps) {
    await context.sleep(stepMs)
    const outcome = await workStep(step, context)
    if (outcome === null) return ''
    worked.push({ step, outcome })
    for (const url of readLine(step.text).links) {
      if (links++ < MOST_LINKS && url.length <= LONGEST_LINK && URL.canParse(url))
        await context.output({ type: 'link', name: new URL(url).host, url })
    }
    await context.log(`${worked.length}/${steps.length} ${step.text} (${outcome})`)
    await context.progress((100 * worked.length) / steps.length)
  }
  return writeReport(task.title, worked, all.length - steps.length)
}

/** Works one line and returns the outcome; null when the task is on hold and the run has ended. */
async function workStep(step: Step, context: TaskContext): Promise<string | null> {
  switch (step.kind) {
    case 'ticked':
      return 'ticked off before'
    case 'item':
      return describeLine(step.text)
    case 'wait': {
      const waitMs = Math.min(step.waitMs, LONGEST_WAIT_MS)
      await context.sleep(waitMs)
      return waitMs < step.waitMs ? `waited ${waitMs} ms, the most that is allowed` : `waited ${waitMs} ms`
    }
    case 'alert':
      await context.alert(step.text)
      return 'people were alerted'
    case 'question':
      if (wasAskedBefore(step.text, context)) return 'a person was asked, and released the task'
      await context.hold('needs_input', step.text)
      return null
  }
}

function wasAskedBefore(question: string, { claim }: TaskContext): boolean {
  return claim.earlierAttempts.some(({ outcome, reason }) => outcome === 'held' && reason === question)
}
