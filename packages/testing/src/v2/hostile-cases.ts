import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { createTenantFixture } from './tenant-fixture.js'
import { documentedOperations } from './documented-operations.js'
import type { V2Check } from './v2-case.js'

const deep = (open: string, close: string): string => open.repeat(200_000) + close.repeat(200_000)

/** Valid for metadata, whose names are the caller's. */
const NAMED_AS_IN_EVERY_OBJECT = '{"toString":"x"}'

/** Values that no member of any body may have, as JSON. */
const badValues: readonly string[] = [
  '"\\u0000"',
  '"a\\ud800b"',
  NAMED_AS_IN_EVERY_OBJECT,
  '{"__proto__":{"a":{"b":1}}}',
  '[[1]]',
  '1e400',
  deep('[', ']'),
  deep('{"a":', '}').replace(':}', ':1}'),
]

/** Bodies that nothing takes, with their headers. Made when they are sent: to compress fifty megabytes takes a while. */
const badBodies = (): readonly (readonly [string | Buffer, Readonly<Record<string, string>>?])[] => [
  ['{'],
  ['null'],
  ['[]'],
  ['"text"'],
  ['{}\u0000'],
  [deep('[', ']')],
  [deep('{"a":', '}')],
  [Buffer.from([0xc3, 0x28])],
  [`{"a":"${'x'.repeat(1_100_000)}"}`],
  [gzipSync(`{"a":"${'x'.repeat(50_000_000)}"}`), { 'content-encoding': 'gzip' }],
  ['{}', { 'content-type': 'text/plain' }],
  ['{}', { 'content-type': 'application/json; charset=utf-16' }],
  ['{}', { 'content-encoding': 'br' }],
]

/** Longer paths, and escapes that stand for no text, are rejected by the host's router before a route is asked. */
const badIds: readonly string[] = [
  '__proto__',
  'constructor',
  '%00',
  'a%2F..%2Fb',
  'x'.repeat(90),
  "'%20or%201=1",
]

/** Requests of attackers or broken programs, derived from the document's description of each route. */
export const hostileCases: readonly V2Check[] = [
  {
    id: 'hostile.bodies',
    name: 'an invalid body is a 4xx in the envelope, on every route that takes one',
    async check(session) {
      const { ids } = await createTenantFixture(session, session)
      const bodies = badBodies()
      for (const { method, path, body, userOnly } of documentedOperations(session.openApi)) {
        if (body === undefined) continue
        for (const [hostile, headers] of bodies) {
          const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)
          const answer = await session.send(method, at, {
            as: userOnly ? session.token : session.key,
            body: hostile,
            headers,
          })
          const context = `${method} ${path} with ${String(hostile).slice(0, 40)}: ${answer.text.slice(0, 200)}`
          assert.ok(answer.status >= 400 && answer.status < 500, context)
        }
      }
    },
  },
  {
    id: 'hostile.members',
    name: 'an invalid member of any body is a 4xx that names it, and nothing is polluted',
    async check(session) {
      const { ids } = await createTenantFixture(session, session)
      for (const { id, method, path, body, members, userOnly } of documentedOperations(session.openApi)) {
        for (const member of members) {
          for (const value of badValues) {
            if (member === 'metadata' && value === NAMED_AS_IN_EVERY_OBJECT) continue
            const rest = JSON.stringify({ ...body, [member]: 0 }).replace(
              `"${member}":0`,
              `"${member}":${value}`,
            )
            const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)
            const answer = await session.send(method, at, {
              as: userOnly ? session.token : session.key,
              body: rest,
            })
            const context = `${id} with ${member} ${value.slice(0, 40)}: ${answer.status} ${answer.text.slice(0, 200)}`
            assert.ok(answer.status >= 400 && answer.status < 500, context)
          }
        }
      }
      assert.equal(({} as { a?: unknown }).a, undefined)
    },
  },
  {
    id: 'hostile.ids',
    name: 'a path with an impossible id is a 4xx in the envelope',
    async check(session) {
      const { ids } = await createTenantFixture(session, session)
      for (const { method, path, pathIds, body, userOnly } of documentedOperations(session.openApi)) {
        for (const name of pathIds) {
          for (const bad of badIds) {
            const at = path.replaceAll(/\{(\w+)\}/g, (_, each: string) =>
              each === name ? bad : (ids[each] ?? each),
            )
            const answer = await session.send(method, at, {
              as: userOnly ? session.token : session.key,
              body,
            })
            assert.ok(answer.status === 400 || answer.status === 404, `${method} ${at}: ${answer.text}`)
          }
        }
      }
    },
  },
]
