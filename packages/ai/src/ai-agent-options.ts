import {
  TaskboardError,
  TaskFailure,
  type Agent,
  type AgentDefinition,
  type BudgetInput,
  type Task,
} from '@taskboard/core'
import { requireOptionNames, type NamesOf } from '@taskboard/core/transport'
import type { generateText, LanguageModel, ToolSet } from 'ai'
import { boardToolNames, type BoardToolName } from './tools/board-tools.js'
import type { ToolContext } from './tools/tool-context.js'
import type { TranscriptPlace } from './transcript-place.js'

type CallOptions = Parameters<typeof generateText>[0]

/** The call settings of each model call besides the prompt and tools, as the AI SDK names them. */
export type ModelSettings = Pick<
  CallOptions,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'seed'
  | 'headers'
  | 'providerOptions'
>

/** The tools of the host for one attempt at a task. */
export type ToolsOf = (agent: Agent, task: Task, context: ToolContext) => ToolSet | Promise<ToolSet>

export interface AiAgentOptions {
  /** The model of a stored agent, usually by its `model`. An error that it throws fails the attempt. */
  readonly model: (agent: Agent) => LanguageModel | Promise<LanguageModel>
  /** Which stored agents this works for. Default `'*'`: all whose type no other runtime serves. */
  readonly type?: string | undefined
  /**
   * The tools of the host, by name; or a function that returns those for one attempt, when they depend on whom it is for. A stored agent can
   * call those that its `tools` names, and no others. Anyone who may change the agent chooses these names: read in each tool for whom it is called
   * (`toolContextOf`). An error that the function throws fails the attempt.
   */
  readonly tools?: ToolSet | ToolsOf | undefined
  /** The tools of the board that every agent can call. Default: all of them. */
  readonly boardTools?: readonly BoardToolName[] | undefined
  /** How many times one attempt calls the model at most: 1 to 1,000, default 20. Beyond that the task goes on hold as `failed`. */
  readonly maxSteps?: number | undefined
  /** The budget of a task that has none: what all of its attempts may use together. */
  readonly budget?: BudgetInput | undefined
  /** Whether answers are streamed, which keeps connections to slow models alive. Default false. */
  readonly streaming?: boolean | undefined
  /** How often a call is retried immediately after a transient fault: 0 to 10, default 2. */
  readonly maxRetries?: number | undefined
  /** How long one call of the model may take, with its repeats: 100 ms to 1 h, default 5 min. */
  readonly callTimeoutMs?: number | undefined
  /** The most characters of the task and all that belongs to it in the prompt: 4,000 to 10,000,000, default 60,000. */
  readonly promptCharacters?: number | undefined
  /** The most characters of one tool's result that the model gets: 1,000 to 1,000,000, default 20,000. */
  readonly resultCharacters?: number | undefined
  /** Where transcripts are kept. Without it there are none, and each attempt begins from the records of the board. */
  readonly transcripts?: TranscriptPlace | undefined
  readonly settings?: ModelSettings | undefined
  /** See `AgentOptions` of `defineAgent`. */
  readonly concurrency?: number | undefined
  readonly name?: string | undefined
  readonly leaseMs?: number | undefined
}

/** The options, checked and complete. */
export interface AiAgentSettings {
  readonly model: AiAgentOptions['model']
  readonly toolsOf: (...run: Parameters<ToolsOf>) => Promise<ReadonlyMap<string, ToolSet[string]>>
  readonly boardTools: readonly BoardToolName[]
  readonly maxSteps: number
  readonly budget: BudgetInput | null
  readonly streaming: boolean
  readonly maxRetries: number
  readonly callTimeoutMs: number
  readonly promptCharacters: number
  readonly resultCharacters: number
  readonly transcripts: TranscriptPlace | null
  readonly settings: ModelSettings
}

export type RuntimeOptions = Pick<AgentDefinition, 'type'> &
  Partial<Pick<AgentDefinition, 'concurrency' | 'name' | 'leaseMs'>>

/** The form in which every provider takes the name of a tool. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

const names: NamesOf<AiAgentOptions> = {
  model: true,
  type: true,
  tools: true,
  boardTools: true,
  maxSteps: true,
  budget: { tokens: true, costUsd: true },
  streaming: true,
  maxRetries: true,
  callTimeoutMs: true,
  promptCharacters: true,
  resultCharacters: true,
  transcripts: true,
  settings: true,
  concurrency: true,
  name: true,
  leaseMs: true,
}

/** @throws TaskboardError `INVALID_CONFIG` naming the field. */
export function parseAiAgentOptions(options: AiAgentOptions): AiAgentSettings {
  requireOptionNames<AiAgentOptions>(options, names)
  const { boardTools = boardToolNames, tools = {} } = options
  requireConfig(typeof options.model === 'function', 'model', 'must be a function')
  const unknown = boardTools.filter((name) => !boardToolNames.includes(name))
  requireConfig(
    unknown.length === 0,
    'boardTools',
    `has ${unknown.join(', ')}; known are ${boardToolNames.join(', ')}`,
  )
  return {
    model: options.model.bind(options),
    toolsOf: parseTools(tools),
    boardTools,
    maxSteps: parseWhole(options, 'maxSteps', { absent: 20, least: 1, most: 1_000 }),
    budget: options.budget ?? null,
    streaming: options.streaming ?? false,
    maxRetries: parseWhole(options, 'maxRetries', { absent: 2, least: 0, most: 10 }),
    callTimeoutMs: parseWhole(options, 'callTimeoutMs', { absent: 300_000, least: 100, most: 3_600_000 }),
    promptCharacters: parseWhole(options, 'promptCharacters', {
      absent: 60_000,
      least: 4_000,
      most: 10_000_000,
    }),
    resultCharacters: parseWhole(options, 'resultCharacters', {
      absent: 20_000,
      least: 1_000,
      most: 1_000_000,
    }),
    transcripts: options.transcripts ?? null,
    settings: options.settings ?? {},
  }
}

/** A fixed set is checked now, and the result of a function when it returns. Then only the host's log names what is wrong with which tool. */
function parseTools(tools: ToolSet | ToolsOf): AiAgentSettings['toolsOf'] {
  if (typeof tools !== 'function') {
    const checked = Promise.resolve(checkedTools(tools))
    return () => checked
  }
  return async (...run) => {
    const made = await tools(...run)
    try {
      return checkedTools(made)
    } catch (cause) {
      throw new TaskFailure('the host made tools that are not valid', { cause })
    }
  }
}

function checkedTools(tools: ToolSet): ReadonlyMap<string, ToolSet[string]> {
  for (const [name, tool] of Object.entries(tools)) checkTool(name, tool)
  return new Map(Object.entries(tools))
}

function checkTool(name: string, tool: ToolSet[string]): void {
  const at = `tools.${name}`
  requireConfig(TOOL_NAME.test(name), at, 'must have a name of 1 to 64 letters, digits, _ and -')
  requireConfig(
    !boardToolNames.some((own) => own === name),
    at,
    'has the name of a tool of the board; choose another one',
  )
  if (tool.execute !== undefined) return
  const isOfProvider = tool.type === 'provider'
  requireConfig(isOfProvider, at, 'must have execute')
  requireConfig(
    !tool.needsApproval,
    at,
    'is executed by the provider of the model, where no approval can stop it',
  )
}

type NumberOption = 'maxSteps' | 'maxRetries' | 'callTimeoutMs' | 'promptCharacters' | 'resultCharacters'

function parseWhole(
  options: AiAgentOptions,
  field: NumberOption,
  { absent, least, most }: { readonly absent: number; readonly least: number; readonly most: number },
): number {
  const value = options[field] ?? absent
  const isValid = Number.isInteger(value) && value >= least && value <= most
  requireConfig(isValid, field, `must be a whole number from ${least} to ${most}`)
  return value
}

function requireConfig(holds: boolean, field: string, rule: string): void {
  if (!holds) throw new TaskboardError('INVALID_CONFIG', `${field} of aiAgent ${rule}`, { field })
}
