import type { ListedTaskInput, Taskboard } from '@taskboard/core'

/** What a new board begins with, best first: two tasks that are done within half a minute, and one that asks a person. */
const samples: readonly ListedTaskInput[] = [
  {
    title: 'Sample: pack the box for the fair',
    priority: 'high',
    tags: ['sample'],
    description: '- [x] Find the box\n- 200 stickers\n- 30 mugs\n- the banner',
  },
  {
    title: 'Sample: wait for the courier',
    tags: ['sample'],
    description: '- Call the courier\n- wait 5s\n- wait 6s\n- wait 7s\n- Hand over the box',
  },
  {
    title: 'Sample: book the train',
    priority: 'low',
    tags: ['sample'],
    description: '- Look up the connections\n? On which day?\n- Book two seats',
  },
]

/** Adds them to the board of a workspace. The checklist agent works them like any others. */
export async function addSampleTasks<Tx>(taskboard: Taskboard<Tx>, workspaceId: string): Promise<void> {
  await taskboard.board(workspaceId).addAll(samples)
}
