export { createAccountDirectory } from './account-directory.js'
export {
  type AddedAgent,
  type Agent,
  type AgentChange,
  type AgentChangeInput,
  type AgentFields,
  agentFields,
  type AgentOverview,
  type AgentStatus,
  anyAgentType,
  type Forecast,
  mostAhead,
  type NewAgent,
  type NewAgentInput,
  ratedAttempts,
  timedAttempts,
} from './agent.js'
export type {
  AgentPart,
  AgentPresenceReport,
  AgentQuery,
  AgentReading,
  AgentStore,
  ForecastTask,
} from './agent-store.js'
export { createAgentAnnouncer } from './agent-announcer.js'
export type { AgentAnnouncer } from './agent-announcer.js'
export { createAgents } from './agents.js'
export type { AgentFilter, AgentPage, Agents, TransportAgents } from './agents.js'
export { createAgentDirectory } from './agent-directory.js'
export type { AgentDirectory } from './agent-directory.js'
export { createEstimates } from './estimates.js'
export type { Estimates } from './estimates.js'
export { pickupWaits, waitReasons } from './pickup.js'
export type { PickupWait, WaitReason } from './pickup.js'
export { defineAgent } from './define-agent.js'
export type { AgentDefinition, AgentOptions, ChatContext } from './define-agent.js'
export type { ApprovalResult, OutputInput, TaskClaim, TaskContext } from './task-context.js'
export { longestRestMs, RetryLater } from './retry-later.js'
export { TaskFailure } from './task-run.js'
export { createRunner, type Runner, type RunnerOptions, type StopOptions } from './runner.js'
export { createLeaseSweep } from './lease-sweep.js'
export type { LeaseSweep, LeaseSweepOptions } from './lease-sweep.js'
export { createClaimRecorder } from './presence.js'
export { createChat } from './chat.js'
export type { ChatOptions } from './chat.js'
