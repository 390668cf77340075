// `@taskboard/ai`: agents on language models, by the AI SDK.

export { aiAgent } from './ai-agent.js'
export { boardToolNames } from './tools/board-tools.js'
export { toolContextOf } from './tools/tool-context.js'
export type { ToolContext } from './tools/tool-context.js'
export type { BoardToolName } from './tools/board-tools.js'
export type { AiAgentOptions, ModelSettings, ToolsOf } from './ai-agent-options.js'
export type { TranscriptPlace } from './transcript-place.js'
