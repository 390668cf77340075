import type { TaskboardOptions } from '@taskboard/core'

/** The bot that the suite's task boards know. Nobody writes to it. */
export const suiteBot: NonNullable<TaskboardOptions['bots']>[number] = {
  name: 'suite',
  label: 'Suite',
  path: null,
  handle: () => Promise.resolve({ status: 404 }),
  show: () => Promise.resolve({ outcome: 'gone' }),
  linkAddress: (code) => `https://suite.example/${code}`,
}
