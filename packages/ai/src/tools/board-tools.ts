import { whoSaid, type NamedActor, type TaskContext } from '@taskboard/core'
import { z } from 'zod'

/** The tools by which a model uses the board. */
export const boardToolNames = ['ask_person', 'request_approval', 'delegate', 'add_output', 'log'] as const

export type BoardToolName = (typeof boardToolNames)[number]

/** A tool of the board. The return value of `run` is the tool's result. */
export interface BoardTool {
  readonly description: string
  readonly inputSchema: z.ZodType
  run(input: unknown, context: TaskContext): Promise<string>
}

/** Approvals of calls of tools have these actions. No other request can use it, because an approval of one would then approve the other. */
export const toolActionPrefix = 'tool:'

const MOST_SUBTASKS = 50

/** The decider of an approval and the comment, to end a sentence with. */
export function sayingWho(decidedBy: NamedActor | null, comment: string | null): string {
  const who = decidedBy === null ? '' : ` (${whoSaid({ kind: 'decision', author: decidedBy })})`
  return comment === null ? who : `${who}: ${JSON.stringify(comment)}`
}

function boardTool<S extends z.ZodType>(
  description: string,
  inputSchema: S,
  run: (input: z.output<S>, context: TaskContext) => Promise<string>,
): BoardTool {
  // The SDK has read the input by the schema.
  return { description, inputSchema, run: (input, context) => run(input as z.output<S>, context) }
}

export const boardTools: Readonly<Record<BoardToolName, BoardTool>> = {
  ask_person: boardTool(
    'Ask the people of the board one question, when the task cannot be done well without the answer. The attempt ends here, and the next one begins with the answer.',
    z.object({ question: z.string().min(1).max(20_000) }),
    async ({ question }, { ask }) => ask(question),
  ),
  request_approval: boardTool(
    'Ask people to approve one thing, once, before you do it. The attempt ends here unless that was decided already. To use an approval, call this again with the same action and the same input.',
    z.object({
      action: z
        .string()
        .min(1)
        .max(100)
        .refine((action) => !action.trim().toLowerCase().startsWith(toolActionPrefix), {
          error: `must not begin with ${toolActionPrefix}: tools that need approval ask for it when they are called`,
        })
        .describe('A short name of the action'),
      summary: z.string().min(1).max(2_000).describe('The same for people, in one or two sentences'),
      input: z.record(z.string(), z.json()).describe('All that it works on'),
    }),
    async ({ action, summary, input }, { approval }) => {
      const { decision, comment, decidedBy } = await approval({ action, summary, input })
      const said = sayingWho(decidedBy, comment)
      return decision === 'approved'
        ? `Approved, once: do it now${said}.`
        : `Rejected: do not do it, and do not ask again${said}.`
    },
  ),
  delegate: boardTool(
    'Split off parts of the task as subtasks, which other agents can work side by side. With wait, the attempt ends here, and the next one begins with their results.',
    z.object({
      tasks: z
        .array(
          z.object({
            title: z.string().min(1).max(200),
            description: z.string().max(20_000).optional(),
            type: z.string().min(1).max(64).optional().describe('For agents of this type'),
            priority: z.enum(['low', 'medium', 'high', 'urgent']).optional(),
            depends_on: z
              .array(z.int().min(0))
              .max(MOST_SUBTASKS)
              .optional()
              .describe('The positions, from 0, of earlier tasks of this list that come first'),
          }),
        )
        .min(1)
        .max(MOST_SUBTASKS),
      wait: z.boolean().describe('Whether the task waits for the results'),
    }),
    async ({ tasks, wait }, { delegate }) => {
      const inputs = tasks.map(({ depends_on: dependsOn, ...rest }) => ({ ...rest, dependsOn }))
      const created = await delegate(inputs, { wait })
      return `Created: ${created.map(({ id }) => id).join(', ')}`
    },
  ),
  add_output: boardTool(
    'Link something that was made for the task and is stored elsewhere.',
    z.object({
      type: z.string().min(1).max(100).describe('Its kind: file, link, or a media type'),
      name: z.string().min(1).max(200),
      url: z.string().min(1).max(2_000).describe('An absolute URL'),
    }),
    async (given, { output }) => {
      await output(given)
      return 'Added.'
    },
  ),
  log: boardTool(
    'Write a line into the log of the task, for people who follow it and for later attempts.',
    z.object({ message: z.string().min(1).max(10_000) }),
    async ({ message }, { log }) => {
      await log(message)
      return 'Written.'
    },
  ),
}
