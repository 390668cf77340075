import { completable, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { z } from 'zod'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const SOUND = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='
const text = (value: string) => ({ type: 'text' as const, text: value })
const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' }
const embedded = {
  type: 'resource' as const,
  resource: {
    uri: 'test://embedded-resource',
    mimeType: 'text/plain',
    text: 'This is an embedded resource content.',
  },
}

/** The tools, prompts and resources that the conformance suite expects of a server. */
export function fixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'fixtures', version: '1' },
    { capabilities: { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} } },
  )
  const answers = {
    test_simple_text: [text('This is a simple text response for testing.')],
    test_image_content: [image],
    test_audio_content: [{ type: 'audio' as const, data: SOUND, mimeType: 'audio/wav' }],
    test_embedded_resource: [embedded],
    test_multiple_content_types: [text('Multiple content types test:'), image, embedded],
  }
  for (const [name, content] of Object.entries(answers)) {
    server.registerTool(name, { description: name }, () => ({ content }))
  }
  server.registerTool('test_error_handling', { description: 'fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'a schema',
      inputSchema: z.strictObject({
        name: z.string().optional(),
        address: z
          .object({ street: z.string().optional(), city: z.string().optional() })
          .meta({ id: 'address' })
          .optional(),
      }),
    },
    () => ({ content: [text('ok')] }),
  )
  server.registerResource('text', 'test://static-text', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [
      { uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    ],
  }))
  server.registerResource('binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PIXEL }],
  }))
  server.registerPrompt('test_simple_prompt', { description: 'simple' }, () => ({
    messages: [{ role: 'user', content: text('This is a simple prompt for testing.') }],
  }))
  addPrompts(server)
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        { uri: href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) },
      ],
    }),
  )
  server.registerTool('test_tool_with_logging', { description: 'logs' }, async ({ mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', data)
    }
    return { content: [text('done')] }
  })
  server.registerTool(
    'test_tool_with_progress',
    { description: 'progresses' },
    async ({ mcpReq: { _meta: meta, notify } }) => {
      const progressToken = meta?.progressToken
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        const params = { progressToken: progressToken as string, progress, total: 100 }
        await notify({ method: 'notifications/progress', params })
      }
      return { content: [text('done')] }
    },
  )
  return server
}

const user = (...contents: readonly object[]) => ({
  messages: contents.map((content) => ({
    role: 'user' as const,
    content: content as ReturnType<typeof text>,
  })),
})
const argument = (name: string) => completable(z.string(), (value) => [`${name}-${value}`])

function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'arguments', argsSchema: z.object({ arg1: argument('one'), arg2: argument('two') }) },
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'embedded', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      user(
        {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content.' },
        },
        text('Please process the embedded resource above.'),
      ),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'image' }, () =>
    user(image, text('Please analyze the image above.')),
  )
}
