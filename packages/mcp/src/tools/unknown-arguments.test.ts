import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type McpHost, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { send } from '../../test/raw-requests.js'
import { toolsByName } from './definitions.js'

let host: McpHost
beforeAll(async () => {
  host = await serveMcp()
})
afterAll(() => host.close())

/** Where the arguments of a tool have objects with names of its own: `['tasks', 1]` for the second entry of a list. */
function objectsWithin(input: z.ZodObject): readonly (readonly (string | number)[])[] {
  const found: (string | number)[][] = []
  z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, path }) {
      if (!(zodSchema instanceof z.ZodObject)) return
      found.push(
        path.flatMap((step, at) => (step === 'items' ? [1] : path[at - 1] === 'properties' ? [step] : [])),
      )
    },
  })
  return found
}

const places = [...toolsByName].flatMap(([name, { input }]) =>
  objectsWithin(input).map((path) => ({ name, path, at: path.join('.') })),
)

it('are looked for in every object of every tool', () => {
  expect(places.length).toBeGreaterThan(toolsByName.size)
  expect(places).toContainEqual({ name: 'create_tasks', path: ['tasks', 1], at: 'tasks.1' })
})

it.each(places)('are refused by their path: $name $at', async ({ name, path }) => {
  const { shape } = (toolsByName.get(name) as { input: z.ZodObject }).input
  const given = path.reduceRight<unknown>(
    (inner, step) => (typeof step === 'number' ? [{}, inner] : { [step]: inner }),
    { colour: 'red' },
  )
  const required = Object.entries(shape).filter(([, member]) => !member.safeParse(undefined).success)
  const args = { ...Object.fromEntries(required.map(([member]) => [member, 'x'])), ...(given as object) }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const answer = await (await send(host, JSON.stringify(call))).text()
  const shown = [...path, 'colour']
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
  expect(answer).toContain(`"${shown.slice(1)} is not a field of this request`.replaceAll('"', '\\"'))
})
