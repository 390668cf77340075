import type { Task, TaskContext } from '@taskboard/core'
import type { AiAgentSettings } from '../ai-agent-options.js'
import type { RunTools } from './select-tools.js'
import type { ToolContext } from '../tools/tool-context.js'

/** One attempt at a task. */
export interface Run {
  readonly settings: AiAgentSettings
  readonly task: Task
  readonly context: TaskContext
  readonly tools: RunTools
  readonly toolContext: ToolContext
}
