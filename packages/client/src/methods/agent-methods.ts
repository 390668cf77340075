import type { Operating } from '../operation.js'

/** The stored agents. */
export function agentMethods({ method, all }: Operating) {
  return {
    /** Creates an agent in a workspace. A runtime of the host or a `worker` works its tasks. */
    create: method('createAgent'),
    /** A page of the agents, oldest first. */
    list: method('listAgents'),
    /** All agents, oldest first. */
    listAll: all('listAgents'),
    /** One agent. */
    get: method('getAgent'),
    /** Changes the given fields for runs that begin later. Null clears a field that can be empty. */
    update: method('updateAgent'),
    /** Deletes an agent. Rejects with `CONFLICT` while an open task is assigned to it. */
    delete: method('deleteAgent'),
    /** Sets or removes the monthly budget of an agent. */
    setBudget: method('setAgentBudget'),
  }
}

/** The monthly budgets of agents and workspaces. Set them by `agents.setBudget` and `workspaces.setBudget`. */
export function budgetMethods({ method, all }: Operating) {
  return {
    /** A page of the budgets of a workspace, which comes first, and of its agents. */
    list: method('listBudgets'),
    /** All budgets of a workspace and of its agents. */
    listAll: all('listBudgets'),
  }
}

/** Figures. */
export function analyticsMethods({ method, all }: Operating) {
  return {
    /** Throughput, success rate and time saved. */
    tasks: method('getTaskAnalytics'),
    /** A page of what language models were asked for, and its cost. */
    usage: method('getUsage'),
    /** All of that: days in UTC, without those that have no report. */
    allUsage: all('getUsage'),
  }
}
