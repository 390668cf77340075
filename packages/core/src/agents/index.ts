export type { Agent, AgentStatus, AgentStore } from './agent.js'
