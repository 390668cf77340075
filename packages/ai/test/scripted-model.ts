import { MockLanguageModelV3 } from 'ai/test'

type Generate = MockLanguageModelV3['doGenerate']
type CallOptions = Parameters<Generate>[0]
type Generated = Awaited<ReturnType<Generate>>
type Part = Generated['content'][number]

/** What the model answers to one call: text, or calls of tools with their inputs. */
export type Answer = string | readonly (readonly [tool: string, input: unknown])[]

/** A model that answers by a script, and keeps what it was asked. */
export interface ScriptedModel {
  readonly model: MockLanguageModelV3
  /** The prompts in order, each as text. */
  prompts(): readonly string[]
  /** The names of the tools of each call. */
  tools(): readonly (readonly string[])[]
  readonly calls: readonly CallOptions[]
}

type Script = (prompt: string, call: number) => Answer | Error | Promise<Answer>

/** Each call uses 100 tokens in, of which 40 were cached, and 10 out. */
export function scriptedModel(script: Script | readonly (Answer | Error)[], modelId = 'mock'): ScriptedModel {
  let place = 0
  const model = new MockLanguageModelV3({
    modelId,
    doGenerate: async (options) => {
      const call = place++
      const answer =
        typeof script === 'function'
          ? await script(textOf(options), call)
          : (script[call] ?? 'no more answers')
      if (answer instanceof Error) throw answer
      return generated(answer, call)
    },
  })
  return {
    model,
    calls: model.doGenerateCalls,
    prompts: () => model.doGenerateCalls.map(textOf),
    tools: () => model.doGenerateCalls.map(({ tools = [] }) => tools.map(({ name }) => name)),
  }
}

function textOf({ prompt }: CallOptions): string {
  return JSON.stringify(prompt)
}

function generated(answer: Answer, call: number): Generated {
  const content: Part[] =
    typeof answer === 'string'
      ? [{ type: 'text', text: answer }]
      : answer.map(([toolName, input], index) => ({
          type: 'tool-call',
          toolCallId: `call-${call}-${index}`,
          toolName,
          input: JSON.stringify(input),
        }))
  return {
    content,
    finishReason: { unified: typeof answer === 'string' ? 'stop' : 'tool-calls', raw: undefined },
    usage: {
      inputTokens: { total: 100, noCache: 60, cacheRead: 40, cacheWrite: undefined },
      outputTokens: { total: 10, text: 10, reasoning: undefined },
    },
    warnings: [],
  }
}
