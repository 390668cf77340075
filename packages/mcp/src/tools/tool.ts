import { z } from 'zod'
import type { Answer, BoardCalls } from '../board-calls.js'

/** The sets of tools: one for an agent that works on tasks, and one for an agent that plans them. */
export const toolSets = ['worker', 'planner'] as const
export type ToolSet = (typeof toolSets)[number]

/** What a tool's run has besides its arguments. */
export interface ToolCall<Args> {
  readonly board: BoardCalls
  readonly args: Args
  /** The name or the id of the agent that claims when a call names none. */
  readonly agent: string | undefined
}

/** The return value of a tool: the structured content, and a sentence for the model. */
export interface ToolAnswer {
  readonly value: Answer
  readonly text: string
  /** The next step of the model, if there is one: the member `next` of the structured content, and a part of the text. */
  readonly next?: string | undefined
}

/** Hints for hosts of models, with the names of the protocol. */
interface ToolHints {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
}

/** A tool as data. */
export interface Tool {
  readonly name: string
  readonly sets: readonly ToolSet[]
  readonly scope: 'tasks:read' | 'tasks:write' | 'agents:read'
  readonly description: string
  /** The names of the arguments are checked with it. Values that an operation checks are passed on as they came. */
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly hints: ToolHints
  /** Names of arguments, by the names of the operation's fields where they differ. */
  readonly renames?: Readonly<Record<string, string>>
  run(call: ToolCall<Answer>): Promise<ToolAnswer>
}

/** Declares a tool. It takes only the arguments of its schema. */
export function tool(declared: Tool): Tool {
  return { ...declared, input: declared.input.strict() }
}

/** The member of a structured content that says what to do now. */
export const next = z.string()

/** The members of an answer that a schema names. */
export function pick(value: unknown, { shape }: z.ZodObject): Answer {
  const answer = value as Answer
  return Object.fromEntries(Object.keys(shape).map((name) => [name, answer[name] ?? null]))
}

/** The parts of an object schema by name. The result has the types of JSON, because operations check the values. */
export function members(schema: z.ZodObject, ...names: readonly string[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    names.map((name) => {
      const member = schema.shape[name] as z.ZodType | undefined
      if (member === undefined) throw new TypeError(`the schema has no ${name}`)
      return [name, member]
    }),
  )
}
