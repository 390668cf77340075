import assert from 'node:assert/strict'
import { addTask, assertDone, BOARD, sessionCase, WEBHOOKS, type BoardSession } from './board-session.js'
import { openConnection, rawRequest, type RawConnection } from './raw-connection.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

const MEBIBYTE = 1_048_576
const JSON_TYPE = 'Content-Type: application/json'

/** The events of a connection before, after and instead of a complete request. */
export function connectionCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const define = connectionCase.bind(null, options)
  return [
    define(
      'keep-alive-unread',
      'a connection stays usable after refusals that left the body unread',
      async (session, connection) => {
        const key = `Authorization: Bearer ${session.key}`
        const large = 'x'.repeat(MEBIBYTE + 5_000)
        const refusals: [string[], number][] = [
          [[`POST ${BOARD}?action=add HTTP/1.1`, JSON_TYPE], 401],
          [[`POST ${BOARD}?action=none HTTP/1.1`, JSON_TYPE, key], 400],
          [[`PUT ${BOARD}?action=add HTTP/1.1`, JSON_TYPE, key], 405],
          [[`POST ${BOARD}?action=add HTTP/1.1`, 'Content-Type: text/plain', key], 415],
          [[`POST ${BOARD}?action=add HTTP/1.1`, JSON_TYPE, key], 413],
          [[`POST ${WEBHOOKS} HTTP/1.1`, JSON_TYPE, key], 413],
        ]
        for (const [head, status] of refusals) {
          connection.send(rawRequest(head, large))
          assert.equal((await connection.next()).status, status)
          connection.send(rawRequest([`GET ${BOARD}?action=todo HTTP/1.1`, key]))
          assert.equal((await connection.next()).status, 200)
        }
      },
    ),
    define(
      'keep-alive-chunked',
      'a connection stays usable after a chunked body over the cap',
      async (session, connection) => {
        const head = [
          'POST /api/board?action=add HTTP/1.1',
          'Host: x',
          JSON_TYPE,
          `Authorization: Bearer ${session.key}`,
        ]
        connection.send(`${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`)
        for (let i = 0; i < 20; i++) connection.send(`10000\r\n${'x'.repeat(65_536)}\r\n`)
        connection.send('0\r\n\r\n')
        assert.equal((await connection.next()).status, 413)
        connection.send(
          rawRequest(['GET /api/board?action=todo HTTP/1.1', `Authorization: Bearer ${session.key}`]),
        )
        assert.equal((await connection.next()).status, 200)
      },
    ),
    define(
      'endless-upload',
      'an endless body is answered, and then its connection is cut',
      async (session, connection) => {
        const head = [
          'POST /api/board?action=add HTTP/1.1',
          'Host: x',
          JSON_TYPE,
          `Authorization: Bearer ${session.key}`,
        ]
        connection.send(`${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`)
        const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
        const answered = connection.next()
        for (let sent = 0; connection.open && sent < 64 * MEBIBYTE; sent += chunk.length) {
          connection.send(chunk)
          await new Promise((resolve) => setImmediate(resolve))
        }
        assert.equal((await answered).status, 413)
        await connection.closed
      },
    ),
    define(
      'pipelined',
      'requests sent at once are answered in order, whatever their results',
      async (session, connection) => {
        const key = `Authorization: Bearer ${session.key}`
        const add = (body: string): Buffer =>
          rawRequest([`POST ${BOARD}?action=add HTTP/1.1`, JSON_TYPE, key], body)
        const sent = [
          add('{"title":"one"}'),
          add('{'),
          rawRequest([`POST ${BOARD}?action=add HTTP/1.1`, JSON_TYPE], '{"title":"no key"}'),
          add('{"title":"two"}'),
          rawRequest([`GET ${BOARD}?action=done HTTP/1.1`, key]),
        ]
        connection.send(Buffer.concat(sent))
        const statuses: number[] = []
        for (const _ of sent) statuses.push((await connection.next()).status)
        assert.deepEqual(statuses, [200, 400, 401, 200, 200])
        assert.deepEqual((await session.storedTasks()).map(({ title }) => title).toSorted(), ['one', 'two'])
      },
    ),
    define(
      'aborted-upload',
      'an interrupted upload creates nothing, and the host keeps serving',
      async (session, connection) => {
        const head = [
          'POST /api/board?action=add HTTP/1.1',
          'Host: x',
          JSON_TYPE,
          `Authorization: Bearer ${session.key}`,
        ]
        connection.send(`${[...head, 'Content-Length: 100'].join('\r\n')}\r\n\r\n{"title":"half`)
        await new Promise((resolve) => setTimeout(resolve, 20))
        connection.close()
        await connection.closed
        await addTask(session, { title: 'after' })
        assert.deepEqual(
          (await session.storedTasks()).map(({ title }) => title),
          ['after'],
        )
      },
    ),
    define('expect-continue', 'a client that expects 100-continue gets it', async (session, connection) => {
      const body = '{"title":"patient"}'
      const head = [
        'POST /api/board?action=add HTTP/1.1',
        'Host: x',
        JSON_TYPE,
        `Authorization: Bearer ${session.key}`,
      ]
      connection.send(
        [...head, 'Expect: 100-continue', `Content-Length: ${body.length}`, '', ''].join('\r\n'),
      )
      assert.equal((await connection.next()).status, 100)
      connection.send(body)
      assert.equal((await connection.next()).status, 200)
    }),
    define(
      'slow-body',
      'a body that arrives byte by byte is accepted as a whole',
      async (session, connection) => {
        const body = Buffer.from('{"title":"größe"}')
        const head = [
          'POST /api/board?action=add HTTP/1.1',
          'Host: x',
          JSON_TYPE,
          `Authorization: Bearer ${session.key}`,
        ]
        connection.send([...head, `Content-Length: ${body.length}`, '', ''].join('\r\n'))
        for (const byte of body) {
          connection.send(Buffer.from([byte]))
          await new Promise((resolve) => setImmediate(resolve))
        }
        assert.equal((await connection.next()).status, 200)
        assertDone(await session.action('todo'))
      },
    ),
  ]
}

function connectionCase(
  options: TransportConformanceOptions,
  id: string,
  name: string,
  check: (session: BoardSession, connection: RawConnection) => Promise<void>,
): TransportCase {
  return sessionCase(options, id, name, async (session) => {
    const connection = await openConnection(session.host.url)
    try {
      await check(session, connection)
    } finally {
      connection.close()
    }
  })
}
