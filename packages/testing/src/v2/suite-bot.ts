import type { TaskboardOptions } from '@taskboard/core'

/** The bot that the suite's boards know. It gets no messages. */
export const suiteBot: NonNullable<TaskboardOptions['bots']>[number] = {
  name: 'suite',
  label: 'Suite',
  path: null,
  handle: () => Promise.resolve({ status: 404 }),
  show: () => Promise.resolve({ outcome: 'gone' }),
  linkAddress: (code) => `https://suite.example/${code}`,
}
