import { TaskFailure, type Task, type TaskContext } from '@taskboard/core'
import type { ModelMessage } from 'ai'
import type { AiAgentSettings } from './ai-agent-options.js'
import type { Run } from './run/run.js'
import { doApprovedCalls } from './calls/approved-calls.js'
import { callModel, type ModelAnswer } from './model/call-model.js'
import { createMark } from './prompt/mark.js'
import { instructionsOf } from './prompt/instructions.js'
import { briefing } from './prompt/briefing.js'
import { readRecords, usedSince } from './run/records.js'
import { executeCalls } from './calls/execute-calls.js'
import { selectTools } from './run/select-tools.js'
import { createToolContext } from './tools/tool-context.js'
import { openTranscript } from './run/transcript.js'

/** While a run continues, its progress is an estimate that stays below this. */
const MOST_PROGRESS = 95
const LONGEST_QUOTE = 300

/** One attempt at a task: calls the model, executes the tools that it calls, and so on until it answers without a call. */
export async function workTask(settings: AiAgentSettings, task: Task, context: TaskContext): Promise<string> {
  const { agent, signal } = context
  const toolContext = createToolContext(task, context)
  const tools = selectTools(settings, await settings.toolsOf(agent, task, toolContext), agent)
  const model = await settings.model(agent)
  if (settings.budget !== null && task.budget === null) {
    await context.board.update(task.id, { budget: settings.budget })
  }
  const run = { settings, task, context, tools, toolContext }
  const before = await readRecords(task, context)
  const done = await doApprovedCalls(run, before)
  // The calls have used up their approvals.
  const records = done.length === 0 ? before : usedSince(before, await readRecords(task, context))
  const transcript = await openTranscript(run)
  const mark = createMark()
  const system = instructionsOf({ agent, tools, mark })
  const messages: ModelMessage[] = [
    ...transcript.before,
    {
      role: 'user',
      content: briefing({ task, claim: context.claim, records, done, mark, most: settings.promptCharacters }),
    },
  ]
  for (let step = 1; step <= settings.maxSteps; step++) {
    const answer = await callModel({ settings, model, system, messages, tools: tools.shown, signal })
    messages.push(...answer.messages)
    await context.usage(answer.usage)
    await transcript.keep(messages)
    if (signal.aborted && isLast(answer)) await keepPaidAnswer(run, answer)
    // The report may have spent a budget: then nothing of the answer is carried out.
    signal.throwIfAborted()
    await context.log(describeStep(step, answer), 'debug')
    if (isLast(answer)) return resultOf(answer)
    await context.progress(Math.min(MOST_PROGRESS, (100 * step) / settings.maxSteps))
    const results = await executeCalls(run, answer.calls, messages)
    if (results !== null) messages.push(results)
  }
  throw new TaskFailure(`no result after ${settings.maxSteps} calls of the model`)
}

/** Other names are a text of the model. */
const TOOL_NAME = /^[\w.-]{1,64}$/

const isLast = ({ calls, refusedTools }: ModelAnswer): boolean =>
  calls.length === 0 && refusedTools.length === 0

const MOST_KEPT = 19_000

/** The response that spent a budget is paid for, though it isn't a result. People and the next attempt find it in the comments. */
async function keepPaidAnswer({ task, context }: Run, { text }: ModelAnswer): Promise<void> {
  if (text.trim() === '') return
  const { hold } = await context.board.get(task.id)
  if (hold?.reason !== 'budget') return
  const body = `This answer has spent the budget, so the task has no result yet:\n\n${text.slice(0, MOST_KEPT).toWellFormed()}`
  await context.board.comment(task.id, { body })
}

/** For people who follow the run. It has no text of the prompt or the answer. */
function describeStep(step: number, { calls, refusedTools, usage, isEstimated }: ModelAnswer): string {
  const refused = refusedTools.map((name) => `${TOOL_NAME.test(name) ? name : 'a tool'} (refused)`)
  const names = [...calls.map(({ toolName }) => toolName), ...refused].join(', ')
  const about = isEstimated ? 'about ' : ''
  const used = `${about}${usage.inputTokens} tokens in, ${usage.outputTokens} out`
  return `call ${step} of the model: ${names === '' ? 'no tool' : names} (${used})`
}

function resultOf({ text, finishReason }: ModelAnswer): string {
  if (finishReason === 'length') {
    throw new TaskFailure("the model's response was cut off at the most that it may write")
  }
  if (finishReason === 'content-filter') {
    const said =
      text.trim() === '' ? '' : `, which began: ${text.trim().slice(0, LONGEST_QUOTE).toWellFormed()}`
    throw new TaskFailure(`a filter of the provider stopped the answer${said}`)
  }
  if (finishReason === 'error') throw new Error('the model stopped with an error')
  if (text.trim() === '') throw new Error('the model returned no text')
  return text
}
