import type { ListedTaskInput, Taskboard } from '@taskboard/core'

/**
 * The tasks of a new board: a task that asks a person, and two that take about a minute one after the other. A person who opens the
 * dashboard then sees an agent at work. Two of them at most are in progress at the same time.
 */
const samples: readonly ListedTaskInput[] = [
  {
    title: 'Sample: book the train',
    priority: 'urgent',
    tags: ['sample'],
    description: '- Look up the connections\n? On which day?\n- Book two seats',
  },
  {
    title: 'Sample: pack the box for the fair',
    priority: 'high',
    tags: ['sample'],
    description: '- [x] Find the box\n- 200 stickers\n- wait 8s\n- 30 mugs\n- wait 8s\n- the banner',
  },
  {
    title: 'Sample: give the box to the courier',
    tags: ['sample'],
    dependsOn: [1],
    description: '- Call the courier\n- wait 12s\n- wait 15s\n- wait 15s\n- Hand over the box',
  },
]

/** Adds them to the board of a workspace. The checklist agent works on them like on any others. */
export async function addSampleTasks<Tx>(taskboard: Taskboard<Tx>, workspaceId: string): Promise<void> {
  await taskboard.board(workspaceId).addAll(samples)
}
