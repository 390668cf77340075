import assert from 'node:assert/strict'
import type { ClientResponse } from '../transport/http-client.js'
import { createTenantFixture } from './tenant-fixture.js'
import { documentedOperations } from './documented-operations.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, SUITE_AGENT_TYPE, type V2Session } from './v2-session.js'
import { PASSWORD } from './login-options.js'

const STRANGER = 'unheard_of'

/** Fields and parameters with well-known other names. */
const meant: readonly (readonly [path: string, body: object | undefined, field: string, name: string])[] = [
  ['/v2/tasks', { title: 'x', due_date: '2026-01-01T00:00:00Z' }, 'due_date', 'deadline'],
  ['/v2/tasks', { title: 'x', dependsOn: [] }, 'dependsOn', 'depends_on'],
  ['/v2/tasks', { title: 'x', assignee: 'agent_1' }, 'assignee', 'assigned_to'],
  ['/v2/agents', { name: 'x', type: 'custom', systemPrompt: 'y' }, 'systemPrompt', 'system_prompt'],
  ['/v2/webhooks', { url: 'https://x.example/', events: ['task.created'], sekret: 'y' }, 'sekret', 'secret'],
  ['/v2/tasks/claim', { agent_id: 'agent_1', lease: 60 }, 'lease', 'lease_s'],
  ['/v2/tasks?page_size=5', undefined, 'page_size', 'limit'],
  ['/v2/tasks?agent=agent_1', undefined, 'agent', 'agent_id'],
]

/** The fields of requests: unknown ones are never ignored silently. */
export const unknownFieldCases: readonly V2Check[] = [
  {
    id: 'unknown.fields',
    name: 'a field that the document does not have is refused by its name, in every body',
    async check(session) {
      await eachOperation(session, async ({ id, method, at, body, members, as, sample }) => {
        if (body === undefined) return
        assert.equal(body['additionalProperties'], false, id)
        for (const name of [STRANGER, '__proto__']) {
          const text = JSON.stringify(sample).replace(/\}$/, `${members === 0 ? '' : ','}"${name}":1}`)
          assertError(await session.send(method, at, { as, body: text }), 400, 'INVALID_REQUEST', name)
        }
      })
    },
  },
  {
    id: 'unknown.within',
    name: 'an unknown field within a list or an object is refused by its path, in every body',
    async check(session) {
      const tried: string[] = []
      await eachOperation(session, async ({ id, method, at, body = {}, as, sample }) => {
        for (const { path, schema } of objectsWithin(body).filter((each) => each.path.length > 0)) {
          assert.equal(schema['additionalProperties'], false, `${id} ${shownPath(path)}`)
          for (const { inner, name, hint } of strangersOf(schema)) {
            const wrong = { ...sample, ...(valueAt(path, inner) as object) }
            const answer = await session.send(method, at, { as, body: wrong })
            assertError(answer, 400, 'INVALID_REQUEST', String(path[0]))
            const named = `${shownPath(path)}.${name} is not a field of this request; `
            assert.ok(issueOf(answer).startsWith(named + hint), answer.text)
          }
          tried.push(`${id} ${shownPath(path)}`)
        }
      })
      for (const known of ['createTask budget', 'createTasks tasks[1]', 'createSchedule task.budget']) {
        assert.ok(tried.includes(known), tried.join())
      }
    },
  },
  {
    id: 'unknown.board',
    name: 'so are those of the board API, at every depth, and its document has no others',
    async check({ send, openApi }) {
      const { schemas } = openApi.document.components
      const tried: string[] = []
      for (const [id, at, sample] of boardBodies) {
        for (const { path, schema } of objectsWithin(schemas[id] ?? {})) {
          assert.equal(schema['additionalProperties'], false, `${id} ${shownPath(path)}`)
          for (const { inner, name } of strangersOf(schema)) {
            const answer = await send('POST', at, {
              body: { ...sample, ...(valueAt(path, inner) as object) },
            })
            const { code, error } = answer.json() as { readonly code: string; readonly error: string }
            assert.equal(code, 'INVALID_FIELD', answer.text)
            assert.ok(error.startsWith(`${shownPath([...path, name])} is not a field of this request`), error)
          }
          tried.push(`${id} ${shownPath(path)}`)
        }
      }
      assert.deepEqual(tried, ['BoardAdd ', 'BoardAdd budget', 'BoardMove ', 'BoardChat ', 'BoardWebhook '])
    },
  },
  {
    id: 'unknown.parameters',
    name: 'a query parameter that the document does not have is refused by its name, on every path',
    async check(session) {
      await eachOperation(session, async ({ method, at, sample, as }) => {
        const answer = await session.send(method, `${at}?${STRANGER}=1`, { as, body: sample })
        assertError(answer, 400, 'INVALID_REQUEST', STRANGER)
      })
      assertError(await session.send('GET', '/v2/tasks?search=x'), 400, 'INVALID_REQUEST', 'search')
    },
  },
  {
    id: 'unknown.suggestions',
    name: 'what was probably meant is named',
    async check({ send }) {
      for (const [path, body, field, name] of meant) {
        const answer = await send(body === undefined ? 'GET' : 'POST', path, { body })
        assertError(answer, 400, 'INVALID_REQUEST', field)
        assert.ok(issueOf(answer).endsWith(`did you mean ${name}?`), answer.text)
      }
    },
  },
  {
    id: 'unknown.repeated',
    name: 'of a repeated query parameter none counts',
    async check({ send }) {
      for (const query of ['limit=1&limit=1', 'limit=1&l%69mit=2', 'limit=1&cursor=x&limit=2']) {
        assertError(await send('GET', `/v2/tasks?${query}`), 400, 'INVALID_REQUEST', 'limit')
      }
    },
  },
  {
    id: 'unknown.required',
    name: 'a required field that is absent or null is said to be required',
    async check(session) {
      await eachOperation(session, async ({ method, at, body, as, sample }) => {
        for (const name of (body?.['required'] ?? []) as readonly string[]) {
          const { [name]: _, ...rest } = { ...sample } as Record<string, unknown>
          const nullified = { ...rest, [name]: null }
          for (const wrong of [rest, nullified, { ...nullified, [STRANGER]: 1 }]) {
            const answer = await session.send(method, at, { as, body: wrong })
            assertError(answer, 400, 'INVALID_REQUEST', name)
            assert.ok(issueOf(answer).endsWith('is required'), answer.text)
          }
        }
      })
    },
  },
  {
    id: 'unknown.contract',
    name: 'every field and parameter of the contract is taken',
    async check({ send, token, workspaceId }) {
      const agent = {
        name: 'An agent',
        type: SUITE_AGENT_TYPE,
        model: 'a model',
        system_prompt: 'a prompt',
        capabilities: ['a'],
        tools: ['b'],
        workspace_id: workspaceId,
      }
      const { id } = assertAnswer(await send('POST', '/v2/agents', { body: agent }), 201)
      const task = {
        title: 'x',
        description: 'y',
        type: 'report',
        priority: 'high',
        assigned_to: id,
        workspace_id: workspaceId,
        deadline: '2026-02-01T00:00:00Z',
        metadata: { a: 'b', c: ['d'] },
      }
      assertAnswer(await send('POST', '/v2/tasks', { body: task }), 201)
      const key = { name: 'k', scopes: ['tasks:read'], expires_at: '2027-01-01T00:00:00Z' }
      assertAnswer(await send('POST', '/v2/account/api-keys', { as: token, body: key }), 201)
      const login = { email: 'owner@acme.example', password: PASSWORD, mfa_code: null }
      assertAnswer(await send('POST', '/v2/auth/login', { as: null, body: login }))
      assertAnswer(await send('GET', '/v2/analytics/tasks?from=2026-01-01&to=2026-01-02&group_by=day'))
    },
  },
]

interface Stranger {
  readonly inner: object
  readonly name: string
  readonly hint: string
}

/** Objects with one field that the schema doesn't have. */
function strangersOf({ properties }: SchemaPart): readonly Stranger[] {
  const [first = ''] = Object.keys(properties as object)
  return [
    { inner: { [STRANGER]: 1 }, name: STRANGER, hint: '' },
    { inner: JSON.parse('{"__proto__":1}') as object, name: '__proto__', hint: '' },
    { inner: { [`${first}x`]: 1 }, name: `${first}x`, hint: `did you mean ${first}?` },
  ]
}

/** The bodies of the board API, by their names in the document: where they go, and one that is valid. */
const boardBodies: readonly (readonly [name: string, at: string, sample: object])[] = [
  ['BoardAdd', '/api/board?action=add', { title: 'A task' }],
  ['BoardMove', '/api/board?action=move', { task_id: 'task_0', to: 'done' }],
  ['BoardChat', '/api/board?action=chat', { message: 'hello' }],
  [
    'BoardWebhook',
    '/api/webhooks/create',
    { url: 'https://receiver.example/hook', events: ['task.created'] },
  ],
]

interface TriedOperation {
  readonly id: string
  readonly method: string
  /** Its path, with ids of what there is. */
  readonly at: string
  /** The schema of its body; undefined when it takes none. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** How many members the sample has. */
  readonly members: number
  /** A body that passes its checks. */
  readonly sample: object | undefined
  readonly as: string
}

async function eachOperation(
  session: V2Session,
  run: (operation: TriedOperation) => Promise<void>,
): Promise<void> {
  const { ids } = await createTenantFixture(session, session)
  const operations = documentedOperations(session.openApi)
  for (const { id, method, path, body, schema, userOnly } of operations) {
    const sample = schema === undefined ? undefined : (body ?? {})
    await run({
      id,
      method,
      at: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name),
      body: schema,
      members: Object.keys(sample ?? {}).length,
      sample,
      as: userOnly ? session.token : session.key,
    })
  }
  assert.ok(operations.length > 10)
}

function issueOf(answer: ClientResponse): string {
  return (answer.json() as { error: { details: { issue: string } } }).error.details.issue
}

/** A JSON Schema, or a part of one. */
type SchemaPart = Readonly<Record<string, unknown>>

/** An object at some depth of a body. */
interface ObjectWithin {
  /** Empty for the body itself. Of a list, the second entry. */
  readonly path: readonly (string | number)[]
  readonly schema: SchemaPart
}

/** The entry of each list that is looked at. */
const ENTRY = 1

/** Every object of a body whose names the schema declares, at every depth. The names of records are the caller's own. */
function objectsWithin(schema: SchemaPart, path: ObjectWithin['path'] = []): readonly ObjectWithin[] {
  const { properties, items, anyOf } = schema as {
    readonly properties?: Readonly<Record<string, SchemaPart>>
    readonly items?: SchemaPart
    readonly anyOf?: readonly SchemaPart[]
  }
  const members = Object.entries(properties ?? {})
  return [
    ...(properties === undefined ? [] : [{ path, schema }]),
    ...members.flatMap(([name, member]) => objectsWithin(member, [...path, name])),
    ...(items === undefined ? [] : objectsWithin(items, [...path, ENTRY])),
    ...(anyOf ?? []).flatMap((choice) => objectsWithin(choice, path)),
  ]
}

/** The value that has `inner` at `path`, and empty objects as the other entries of lists. */
function valueAt(path: ObjectWithin['path'], inner: unknown): unknown {
  return path.reduceRight<unknown>(
    (value, step) =>
      typeof step === 'number' ? [...Array.from({ length: step }, () => ({})), value] : { [step]: value },
    inner,
  )
}

/** As errors show it: `tasks[1].budget`. */
function shownPath(path: ObjectWithin['path']): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}
