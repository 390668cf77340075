export { claudeAgent, type ClaudeQuery } from './claude-agent.js'
export { afterApproval, openAiAgent } from './openai-agent.js'
