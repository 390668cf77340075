import {
  getNamedType,
  getNullableType,
  type GraphQLInputType,
  isCompositeType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codesOf, openHost, type GraphqlHost } from '../test/graphql-host.js'
import { taskboardSchema } from './schema/schema.js'

let host: GraphqlHost
beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

type Path = readonly (string | number)[]

/** Where a value of this type has objects: at the second entry of a list. */
function objectsWithin(type: GraphQLInputType, path: Path = []): readonly Path[] {
  const plain = getNullableType(type)
  if (isListType(plain)) return objectsWithin(plain.ofType, [...path, 1])
  if (!isInputObjectType(plain)) return []
  const members = Object.values(plain.getFields())
  return [path, ...members.flatMap((member) => objectsWithin(member.type, [...path, member.name]))]
}

const mutations = Object.values(taskboardSchema().getMutationType()?.getFields() ?? {})
const places = mutations.flatMap((mutation) =>
  mutation.args.flatMap((argument) =>
    objectsWithin(argument.type).map((path) => ({
      mutation,
      argument,
      path,
      name: mutation.name,
      at: path.join('.'),
    })),
  ),
)

it('are looked for in every object of every input', () => {
  expect(places.map(({ name, at }) => `${name} ${at}`)).toEqual(
    expect.arrayContaining(['createTask ', 'createTask budget', 'delegateTask tasks.1.budget']),
  )
})

it.each(places)('are refused by their path: $name $at', async ({ mutation, argument, path }) => {
  const value = path.reduceRight<unknown>(
    (inner, step) => (typeof step === 'number' ? [null, inner] : { [step]: inner }),
    { colour: 'red' },
  )
  const others = mutation.args.filter((each) => each !== argument).map(({ name }) => `${name}: "x"`)
  const call = `${mutation.name}(${[...others, `${argument.name}: $v`].join(', ')})`
  const selected = isCompositeType(getNamedType(mutation.type)) ? ' { __typename }' : ''
  const text = `mutation ($v: ${String(argument.type)}) { ${call}${selected} }`
  const { data, errors } = await host.query(text, { v: value })
  const at = ['v', ...path].map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  expect(data).toBeUndefined()
  expect(new Set(codesOf({ errors }))).toEqual(new Set(['INVALID_REQUEST']))
  const said = errors.map(({ message }) => message).filter((message) => message.includes('"colour"'))
  expect(said).toEqual([expect.stringContaining('Field "colour" is not defined by type')])
  if (path.length > 0) expect(said[0]).toContain(`at "${at.slice(1)}"`)
})
