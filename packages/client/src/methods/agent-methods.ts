import type { Operating } from '../operation.js'

/** The stored agents. */
export function agentMethods({ method, all }: Operating) {
  return {
    create: method('createAgent'),
    list: method('listAgents'),
    listAll: all('listAgents'),
    get: method('getAgent'),
    update: method('updateAgent'),
    delete: method('deleteAgent'),
    /** Sets or removes the monthly budget of an agent. */
    setBudget: method('setAgentBudget'),
  }
}

/** The monthly budgets of agents and workspaces. Set them by `agents.setBudget` and `workspaces.setBudget`. */
export function budgetMethods({ method, all }: Operating) {
  return { list: method('listBudgets'), listAll: all('listBudgets') }
}

/** Figures. */
export function analyticsMethods({ method, all }: Operating) {
  return {
    /** Throughput, success rate and time saved. */
    tasks: method('getTaskAnalytics'),
    /** A page of what language models were asked for, and its cost. */
    usage: method('getUsage'),
    allUsage: all('getUsage'),
  }
}
