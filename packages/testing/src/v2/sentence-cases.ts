import assert from 'node:assert/strict'
import type { ClientResponse } from '../transport/http-client.js'
import { createTenantFixture } from './tenant-fixture.js'
import { documentedOperations } from './documented-operations.js'
import type { V2Check } from './v2-case.js'
import { assertError } from './v2-session.js'

/** Values of every kind, most of which are invalid for most members. */
const oddValues: readonly unknown[] = [
  -1,
  101.5,
  true,
  '',
  'x'.repeat(300),
  { key: 1 },
  { key: ['a', 1] },
  [],
  [7],
  ['tasks:read', 'x', 'task.created', ' '],
  Array.from({ length: 101 }, () => 'x'),
]

const DATE_RULE = 'a valid date and time with Z or an offset'

/** The exact errors of values. */
const said: readonly (readonly [path: string, body: object, field: string, issue: string])[] = [
  ['/v2/tasks', { title: 'x', tags: ['a', 'b', 7] }, 'tags', 'tags[2] must be text'],
  ['/v2/tasks', { title: 'x', tags: [' '] }, 'tags', 'tags[0] must not be blank'],
  ['/v2/tasks', { title: 'x', depends_on: ['a', ''] }, 'depends_on', 'depends_on[1] must be an id'],
  [
    '/v2/tasks',
    { title: 'x', priority: 'top' },
    'priority',
    'priority must be one of urgent, high, medium, low',
  ],
  [
    '/v2/tasks',
    { title: 'x', deadline: '2026-02-30T00:00:00Z' },
    'deadline',
    `deadline must be ${DATE_RULE}`,
  ],
  [
    '/v2/tasks',
    { title: 'x', deadline: '2030-01-31T17:00:00' },
    'deadline',
    'deadline must end with Z (for UTC) or with an offset, such as +02:00',
  ],
  [
    '/v2/tasks',
    { title: 'x', deadline: '2030-01-31' },
    'deadline',
    'deadline must have a time as well, with Z (for UTC) or an offset: 2030-01-31T17:00:00Z',
  ],
  [
    '/v2/tasks',
    { title: 'x', metadata: { size: 7 } },
    'metadata',
    'metadata.size must be text or a list of texts',
  ],
  ['/v2/tasks', { title: 'x', metadata: { a: ['b', 7] } }, 'metadata', 'metadata.a[1] must be text'],
  [
    '/v2/tasks',
    { title: 'x', metadata: { 'a b': 7 } },
    'metadata',
    'metadata["a b"] must be text or a list of texts',
  ],
  ['/v2/tasks', { title: 'x', metadata: [] }, 'metadata', 'metadata must be an object'],
  [
    '/v2/tasks',
    { title: 'x', metadata: JSON.parse('{"__proto__":"a"}') as object },
    'metadata',
    'metadata.__proto__ must have another name',
  ],
  ['/v2/tasks', { title: '\u200b\u2060' }, 'title', 'title must not be blank'],
  ['/v2/tasks', { title: null }, 'title', 'title is required'],
  [
    '/v2/tasks/{task_id}/progress',
    { fencing_token: 1, progress: 101 },
    'progress',
    'progress must be a number from 0 to 100',
  ],
  [
    '/v2/tasks/{task_id}/logs',
    { fencing_token: 1, message: 'x', level: 'loud' },
    'level',
    'level must be one of debug, info, warn, error',
  ],
  [
    '/v2/tasks/{task_id}/heartbeat',
    { fencing_token: 1, lease_s: 86_401 },
    'lease_s',
    'lease_s must be a whole number from 1 to 86400',
  ],
]

/** Errors are for people to read. */
export const sentenceCases: readonly V2Check[] = [
  {
    id: 'sentences.fields',
    name: 'an invalid value gets a sentence that begins with its field, down to the entry, for every operation',
    async check(session) {
      const { ids } = await createTenantFixture(session, session)
      let refused = 0
      for (const { id, method, path, body, members, userOnly } of documentedOperations(session.openApi)) {
        for (const member of members) {
          for (const value of oddValues) {
            const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)
            const answer = await session.send(method, at, {
              as: userOnly ? session.token : session.key,
              body: { ...body, [member]: value },
            })
            if (answer.status !== 400) continue
            refused += 1
            assertSentence(answer, `${id} with ${member} ${JSON.stringify(value).slice(0, 60)}`)
          }
        }
      }
      assert.ok(refused > 200, String(refused))
    },
  },
  {
    id: 'sentences.words',
    name: 'errors name the entry of a list, the key of metadata, the range of a number and the values that there are',
    async check(session) {
      const { ids } = await createTenantFixture(session, session)
      for (const [path, body, field, issue] of said) {
        const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)
        const answer = await session.send('POST', at, { body })
        assertError(answer, 400, 'INVALID_REQUEST', field)
        assert.equal(detailsOf(answer).issue, issue)
      }
    },
  },
]

const SENTENCE = /^[\w-]+(\[(\d+|"[^"]*")\]|\.[\w-]+)* (must|is|has|are|cannot) .*[^.:,]$/

function assertSentence(answer: ClientResponse, context: string): void {
  const { field, issue } = detailsOf(answer)
  const received = `${context}: ${answer.text.slice(0, 300)}`
  assert.notEqual(field, '', received)
  assert.ok(issue.startsWith(field), received)
  assert.match(issue, SENTENCE, received)
  // The words of the library that validates.
  assert.doesNotMatch(
    issue,
    /invalid|expected|, received|too (big|small)|unrecognized|NaN|undefined/i,
    received,
  )
}

function detailsOf(answer: ClientResponse): { field: string; issue: string } {
  return (answer.json() as { error: { details: { field: string; issue: string } } }).error.details
}
