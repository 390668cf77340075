export { claudeAgent, type ClaudeAgentOptions } from './claude-agent.js'
export type { ClaudeQuery } from './claude-messages.js'
export { afterApproval, openAiAgent } from './openai-agent.js'
