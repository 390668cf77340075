import { graphql, type GraphQLFormattedError } from 'graphql'
import { describe, expect, it } from 'vitest'
import { formatError } from './errors.js'
import { taskboardSchema } from './schema/schema.js'

const schema = taskboardSchema()

async function messageOf(source: string, variableValues: object = {}, suggests = false): Promise<string> {
  const { errors = [] } = await graphql({ schema, source, variableValues: { ...variableValues } })
  const explain = (): never => {
    throw new Error('nothing was thrown by a resolver')
  }
  const shown: GraphQLFormattedError[] = errors.map((error) => formatError(error, { explain, suggests }))
  return shown[0]?.message ?? ''
}

describe('a message of graphql', () => {
  it('has its suggestion only where those are on', async () => {
    expect(await messageOf('{ accout }', {}, true)).toMatch(
      /"accout" on type "Query"\. Did you mean "account"\?$/,
    )
    expect(await messageOf('{ accout }')).toBe('Cannot query field "accout" on type "Query".')
    const text = 'query ($s: TaskStatus) { tasks(status: $s) { nodes { id } } }'
    expect(await messageOf(text, { s: 'PENDIN' })).toMatch(/does not exist in "TaskStatus" enum\.$/)
  })

  it('is searched once, whatever the client has put into it', async () => {
    const text = 'query ($s: TaskStatus) { tasks(status: $s) { nodes { id } } }'
    const message = await messageOf(text, { s: ' Did you mean '.repeat(50_000) })
    expect(message).toMatch(/^Variable "\$s" got invalid value " Did you mean/)
  })

  it('repeats only the start and the end of a long value', async () => {
    const text = 'mutation ($i: CreateTaskInput!) { createTask(input: $i) { id } }'
    const message = await messageOf(text, { i: { title: 'x'.repeat(100_000), wrong: 1 } })
    expect(message).toMatch(/^Variable "\$i" got invalid value/)
    expect(message.length).toBeLessThan(2_000)
  })
})
