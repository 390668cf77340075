import { createHmac } from 'node:crypto'
import { request, type IncomingHttpHeaders } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { virtualClock } from '../clock/virtual-clock.js'
import { webhookReceiver, type WebhookReceiver } from './webhook-receiver.js'

const START = Date.UTC(2026, 0, 1)

let receiver: WebhookReceiver
beforeEach(async () => {
  receiver = await webhookReceiver()
})
afterEach(() => receiver.close())

describe('a delivery', () => {
  it('is kept unchanged: headers, bytes, JSON, id and event', async () => {
    const body = '{"event":"task.created","data":{"title":"Größe ✓"}}'
    const answer = await post(receiver.url, {
      id: 'evt_1',
      body,
      headers: { 'X-Service-Event': 'task.created' },
    })
    expect(answer).toMatchObject({ status: 200, body: '' })
    const [delivery] = receiver.deliveries
    expect(delivery).toMatchObject({
      method: 'POST',
      path: '/',
      id: 'evt_1',
      event: 'task.created',
      attempt: 1,
    })
    expect(delivery?.body.equals(Buffer.from(body))).toBe(true)
    expect(delivery?.json).toEqual({ event: 'task.created', data: { title: 'Größe ✓' } })
    expect(delivery?.headers['content-type']).toBe('application/json')
  })

  it('has no JSON when its body is none, and no id without the header', async () => {
    await post(receiver.url, { id: null, body: 'not json' })
    expect(receiver.deliveries[0]).toMatchObject({ json: undefined, id: null, event: null })
  })

  it('counts the attempts of one id', async () => {
    for (const id of ['evt_1', 'evt_2', 'evt_1']) await post(receiver.url, { id })
    expect(receiver.deliveries.map(({ id, attempt }) => [id, attempt])).toEqual([
      ['evt_1', 1],
      ['evt_2', 1],
      ['evt_1', 2],
    ])
  })

  it('knows whether it was signed, over its bytes', async () => {
    const body = '{"title":"ü"}'
    const signature = `sha256=${createHmac('sha256', 'whsec').update(body).digest('hex')}`
    await post(receiver.url, { body, headers: { 'X-Service-Signature': signature } })
    await post(receiver.url, { body: `${body} `, headers: { 'X-Service-Signature': signature } })
    await post(receiver.url, { body })
    const [good, changed, unsigned] = receiver.deliveries
    expect([good, changed, unsigned].map((one) => one?.isSignedWith('whsec'))).toEqual([true, false, false])
    expect(good?.isSignedWith('other')).toBe(false)
  })

  it('is read by other header names when they are set', async () => {
    const acme = await webhookReceiver({ headerPrefix: 'X-Acme-' })
    await post(acme.url, { id: null, headers: { 'X-Acme-Delivery': 'evt_7' } })
    await acme.close()
    expect(acme.deliveries[0]?.id).toBe('evt_7')
  })

  it('is dated by the clock', async () => {
    const clock = virtualClock(START)
    const dated = await webhookReceiver({ clock })
    await clock.advance({ hours: 1 })
    await post(dated.url, {})
    await dated.close()
    expect(dated.deliveries[0]?.at).toBe(START + 3_600_000)
  })
})

describe('answers', () => {
  it('are a status, a whole answer, or made for each delivery', async () => {
    receiver.respond(503)
    expect(await post(receiver.url, {})).toMatchObject({ status: 503 })
    receiver.respond({ status: 429, headers: { 'retry-after': '7' }, body: 'later' })
    const response = await post(receiver.url, {})
    expect(response).toMatchObject({ status: 429, body: 'later' })
    expect(response.headers['retry-after']).toBe('7')
    receiver.respond(async ({ attempt }) => (attempt < 3 ? 500 : 204))
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await post(receiver.url, { id: 'evt_9' })).status)
    expect(statuses).toEqual([500, 500, 204])
  })

  it('differ by path, and fall back to the common one', async () => {
    const gone = receiver.at('/gone')
    gone.respond(410)
    receiver.respond(201)
    expect((await post(gone.url, {})).status).toBe(410)
    expect((await post(receiver.at('/new').url, {})).status).toBe(201)
    expect(receiver.at('/gone')).toBe(gone)
    expect(gone.deliveries).toHaveLength(1)
    expect(receiver.deliveries.map(({ path }) => path)).toEqual(['/gone', '/new'])
  })

  it('redirect', async () => {
    receiver.redirect('http://127.0.0.1:9/elsewhere', 307)
    const answer = await post(receiver.url, {})
    expect(answer.status).toBe(307)
    expect(answer.headers.location).toBe('http://127.0.0.1:9/elsewhere')
  })

  it('break the connection', async () => {
    receiver.reset()
    await expect(post(receiver.url, {})).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(receiver.deliveries).toHaveLength(1)
  })

  it('break the connection when the function that makes them throws', async () => {
    receiver.respond(() => Promise.reject(new Error('script')))
    await expect(post(receiver.url, {})).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('drip without a clock, in real time', async () => {
    receiver.drip({ everyMs: 1, bytes: 3 })
    expect(await post(receiver.url, {})).toMatchObject({ status: 200, body: '...' })
  })
})

describe('with a virtual clock', () => {
  it('a hanging delivery lets time pass until the sender gives up', async () => {
    const clock = virtualClock(START)
    const hanging = await webhookReceiver({ clock })
    hanging.hang()
    const outcome = clock.track('evt_1', () => sendWithTimeout(clock, hanging.url, 'evt_1'))
    await clock.advance({ hours: 1 })
    await expect(outcome).resolves.toBe(`gave up at ${START + 30_000}`)
    expect(hanging.deliveries.map(({ at }) => at)).toEqual([START])
    await hanging.close()
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })

  it('an answer in drips takes the time of the clock', async () => {
    const clock = virtualClock(START)
    const slow = await webhookReceiver({ clock })
    slow.drip({ everyMs: 4_000, bytes: 5 })
    const ended = clock.track('evt_1', async () => {
      const answer = await post(slow.url, { id: 'evt_1' })
      return [answer.body, clock.now()]
    })
    await clock.advance({ hours: 1 })
    await expect(ended).resolves.toEqual(['.....', START + 24_000])
    await slow.close()
  })

  it('an endless drip ends with the sender, and leaves no timer', async () => {
    const clock = virtualClock(START)
    const slow = await webhookReceiver({ clock })
    slow.drip()
    const outcome = clock.track('evt_1', () => sendWithTimeout(clock, slow.url, 'evt_1'))
    await clock.advance({ minutes: 1 })
    await expect(outcome).resolves.toBe(`gave up at ${START + 30_000}`)
    await slow.close()
    expect(clock.pending()).toEqual({ timers: [], works: [] })
  })
})

describe('waitFor', () => {
  it('resolves with the deliveries that arrived, before or after it was called', async () => {
    await post(receiver.url, { id: 'evt_1' })
    await receiver.waitFor(1)
    const three = receiver.waitFor(3)
    await Promise.all([post(receiver.url, { id: 'evt_2' }), post(receiver.url, { id: 'evt_3' })])
    expect(new Set((await three).map(({ id }) => id))).toEqual(new Set(['evt_1', 'evt_2', 'evt_3']))
  })

  it('rejects with the number of missing deliveries when it takes too long', async () => {
    await post(receiver.url, {})
    await expect(receiver.waitFor(2, 10)).rejects.toThrow('1 of 2 deliveries arrived within 10 ms')
  })
})

describe('close', () => {
  it('breaks what hangs, and may be called twice', async () => {
    receiver.hang()
    const hanging = post(receiver.url, {})
    const closing = receiver.waitFor(1).then(() => Promise.all([receiver.close(), receiver.close()]))
    await expect(hanging).rejects.toMatchObject({ code: 'ECONNRESET' })
    await closing
    await expect(post(receiver.url, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Sending {
  readonly id?: string | null
  readonly body?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

function post(url: string, { id = 'evt_0', body = '{}', headers = {}, signal }: Sending): Promise<Answer> {
  const delivery = id === null ? {} : { 'X-Service-Delivery': id }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      headers: { 'Content-Type': 'application/json', ...delivery, ...headers },
      ...(signal ? { signal } : {}),
    })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    outgoing.end(body)
  })
}

async function sendWithTimeout(
  clock: ReturnType<typeof virtualClock>,
  url: string,
  id: string,
): Promise<string> {
  const abort = new AbortController()
  const timer = clock.setTimer(() => abort.abort(), 30_000)
  try {
    return `answered ${(await post(url, { id, signal: abort.signal })).status}`
  } catch {
    return `gave up at ${clock.now()}`
  } finally {
    timer.cancel()
  }
}
