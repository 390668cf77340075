import { startServer } from '@taskboard/example-demo/testing'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openAiServer, type ServedRequest } from '@taskboard/kit/models/openai-server'

const main = new URL('main.js', inject('programs'))

/** Asks for the colour, links the result, and reports. Chat asks for no more than a text. */
function answer({ messages, tools = [] }: ServedRequest) {
  const said = JSON.stringify(messages)
  if (tools.some(({ function: { name } }) => name === 'list_tasks')) return 'I paint doors.'
  if (!said.includes('green')) return [['ask_person', { question: 'Which colour?' }]] as const
  const [last] = messages.slice(-1)
  if (last?.role === 'tool') return 'The door is green.'
  return [
    ['log', { message: 'mixing the colour' }],
    ['add_output', { type: 'link', name: 'photo', url: 'https://files.example/door' }],
  ] as const
}

describe('npm start with a language model', { timeout: 240_000 }, () => {
  it('works a task end to end: asks, goes on with the answer, calls tools, completes', async () => {
    const model = await openAiServer(answer)
    onTestFinished(() => model.close())
    const server = await startServer(main, {
      TASKBOARD_MODEL_URL: model.url,
      TASKBOARD_MODEL: 'tiny',
      TASKBOARD_MODEL_PRICE: '10/20',
      TASKBOARD_SAMPLES: 'on',
    })
    onTestFinished(() => server.kill())
    expect(server.output()).toContain('the model tiny works on the tasks in this process')
    const v2 = async (path: string, body?: object): Promise<unknown> => {
      const response = await fetch(`${server.url}/v2${path}`, {
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
      return response.json()
    }
    const { id } = (await v2('/tasks', { title: 'Paint the door', type: 'Painting' })) as {
      readonly id: string
    }
    await server.printed(/Z task\.failed.*\n/)
    expect(await v2(`/tasks/${id}`)).toMatchObject({
      hold: { reason: 'needs_input', message: 'Which colour?' },
    })
    await v2(`/tasks/${id}/answer`, { body: 'green' })
    await server.printed(/Z task\.completed.*\n/)
    expect(await v2(`/tasks/${id}`)).toMatchObject({
      status: 'completed',
      result: 'The door is green.',
      outputs: [{ name: 'photo', url: 'https://files.example/door' }],
      usage: { input_tokens: 300, output_tokens: 30, cost_usd: 0.0036 },
    })
    expect(model.requests).toHaveLength(3)
    expect(model.requests.every((request) => request.model === 'tiny' && request.stream === true)).toBe(true)
    expect((await server.call('chat', { message: 'What do you do?' })).json).toMatchObject({
      reply: 'I paint doors.',
    })
    server.signal('SIGTERM')
    expect((await server.ended).code).toBe(0)
  })
})
