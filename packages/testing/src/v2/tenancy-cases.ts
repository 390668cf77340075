import assert from 'node:assert/strict'
import type { ClientResponse } from '../transport/http-client.js'
import type { V2Check } from './v2-case.js'
import { createTenantFixture, snapshotOf, type TenantFixture } from './tenant-fixture.js'
import type { V2Session } from './v2-session.js'
import { documentedOperations, ID_MEMBERS, type DocumentedOperation } from './documented-operations.js'

/** Every route with every id parameter: a stranger's id is treated like a missing one, and has no effect. */
export const tenancyCases: readonly V2Check[] = [
  {
    id: 'tenancy.matrix',
    name: "a stranger's id is answered exactly as a random one, on every route and for every id, and leaves no trace",
    async check(session) {
      const theirs = await createTenantFixture(session, session.stranger)
      const ours = await createTenantFixture(session, session)
      const before = await snapshotOf(session, theirs)
      const tried: string[] = []
      for (const operation of documentedOperations(session.openApi)) {
        for (const trial of trialsOf(operation, ours)) {
          const foreign = theirs.ids[trial.kind]
          assert.ok(foreign !== undefined, `the suite knows a stranger's ${trial.kind} for ${trial.name}`)
          const atForeign = await trial.send(session, foreign)
          const atRandom = await trial.send(session, randomLike(foreign))
          const title = `${operation.method} ${operation.path} with another's ${trial.name}`
          const isRefused = atRandom.status >= 400 && atRandom.status < 500
          assert.ok(
            isRefused || FINDS_NOTHING.has(`${operation.id} ${trial.name}`),
            `${title}: ${atRandom.text}`,
          )
          assert.deepEqual(comparable(atForeign, foreign), comparable(atRandom, randomLike(foreign)), title)
          tried.push(title)
        }
      }
      assert.deepEqual(await snapshotOf(session, theirs), before)
      assert.ok(tried.length >= 10, tried.join('\n'))
    },
  },
]

interface Trial {
  /** Where the id stands. */
  readonly name: string
  /** The resource of the id: the name that the parameter has in paths. */
  readonly kind: string
  send(session: V2Session, id: string): Promise<ClientResponse>
}

/** Resources that may have been deleted while references to them remain: an unknown one is a filter that finds nothing. */
const FINDS_NOTHING = new Set(['listTasks parent_id', 'listAudit actor_id'])

/** One for each place of an operation that takes an id, all its other ids being the caller's own. */
function trialsOf(operation: DocumentedOperation, ours: TenantFixture): readonly Trial[] {
  const { method, pathIds, queryIds, bodyIds, body } = operation
  const as = (session: V2Session): string => (operation.userOnly ? session.token : session.key)
  const pathWith = (name?: string, id = ''): string =>
    pathIds.reduce(
      (path, each) => path.replace(`{${each}}`, each === name ? id : (ours.ids[each] ?? each)),
      operation.path,
    )
  return [
    ...pathIds.map((name) => ({
      name,
      kind: name,
      send: (session: V2Session, id: string) =>
        session.send(method, pathWith(name, id), { as: as(session), body }),
    })),
    ...queryIds.map((name) => ({
      name,
      kind: ID_MEMBERS[name]?.kind ?? name,
      send: (session: V2Session, id: string) =>
        session.send(method, `${pathWith()}?${name}=${id}`, { as: as(session), body }),
    })),
    ...bodyIds.map(({ name, kind, isList }) => ({
      name,
      kind,
      send: (session: V2Session, id: string) =>
        session.send(method, pathWith(), { as: as(session), body: { ...body, [name]: isList ? [id] : id } }),
    })),
  ]
}

/** An id of the same kind that nothing has. */
function randomLike(id: string): string {
  return id.replace(/_.*/, '_7zzzzzzzzzzzzzzzzzzzzzzzzz')
}

/** A response without what always differs: ids, times, and the requested id. */
function comparable({ status, headers, text }: ClientResponse, id: string): object {
  const plain = text.replaceAll(id, '<id>').replaceAll(/"(request_id|timestamp)":"[^"]*"/g, '"$1":""')
  const { allow, 'content-type': type } = headers
  return { status, allow, type, text: plain }
}
