import { counted } from './counted.js'

/** Of the inbox. */
export const inboxText = {
  title: 'Inbox',
  waiting: (count: string) => `${count} waiting`,
  groups: {
    needs_input: 'Questions',
    approval: 'Approvals',
    failed: 'Failures',
    budget: 'Spent budgets',
  },
  empty: 'Your inbox is empty.',
  emptyHint: 'Questions, approvals, failures and spent budgets of your agents appear here as they happen.',
  more: 'There is more. It appears as you work through this.',
  keys: 'Keys: J and K move between entries, Enter opens one, Shift+A approves, Shift+R rejects.',
  open: 'Open task',
  handled: (title: string, how: string, count: string) => `${title}: ${how}. ${count} left.`,
  /** What happened to an entry that no longer waits. */
  endings: {
    approved: (name: string) => `Approved by ${name}`,
    rejected: (name: string) => `Rejected by ${name}`,
    answered: (name: string) => `Answered by ${name}`,
    released: 'Released',
    raised: 'Budget raised',
    cancelled: 'Cancelled',
    deleted: 'Deleted',
    moved: 'Moved to another column',
    elsewhere: 'Handled elsewhere',
    own: { approved: 'Approved', rejected: 'Rejected', answered: 'Answered' },
  },
  attempts: (count: number) => `After ${counted(count, 'attempt', 'attempts')}`,
  raise: 'Raise and release',
  raiseMonthly: 'Raise',
  releaseOnly: 'Release without raising',
  ofAgent: (name: string) => `Monthly budget of the agent ${name}`,
  ofWorkspace: 'Monthly budget of the workspace',
  spent: (used: string) => `Spent this month: ${used}`,
  monthlyHint: 'Agents under this budget take no tasks until it is raised, or until the next month.',
  newTokens: 'New token budget',
  newCost: 'New cost budget (USD)',
} as const
