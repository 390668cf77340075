import { describe, expect, it } from 'vitest'
import { createClient } from './index.js'

const login = { email: 'ada@acme.example', password: 'correct horse battery' }

/** A client with a login whose server answers `/v2/auth/*` as `answers` does, each time with the number of the request. */
function withSessions(answers: (path: string, number: number) => Response | Promise<Response>) {
  const clock = { now: 0 }
  const asked: string[] = []
  const client = createClient({
    baseUrl: 'http://board.example',
    login,
    fetch: async (url) => {
      const path = new URL(url).pathname
      if (!path.startsWith('/v2/auth/')) return Response.json({ id: 'acc' })
      asked.push(path.slice('/v2/auth/'.length))
      return answers(path.slice('/v2/auth/'.length), asked.length)
    },
    retry: { now: () => clock.now, sleep: () => Promise.resolve(), attempts: 2 },
  })
  return { client, asked, clock }
}

const tokens = (name: string): Response =>
  Response.json({ access_token: `a${name}`, refresh_token: `r${name}`, expires_in: 900 })
const empty = (status: number): Response => new Response(null, { status })

/** How often each way of ending came up. */
async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status, ...rest } of await Promise.allSettled(calls)) {
    const reason = 'reason' in rest ? String((rest.reason as { status?: unknown }).status) : status
    counts[reason] = (counts[reason] ?? 0) + 1
  }
  return counts
}

describe('a session whose server has faults', () => {
  it('is refreshed once for fifty calls, and a failure is that of all fifty', async () => {
    const isDown = { now: false }
    const { client, asked, clock } = withSessions((_path, number) =>
      isDown.now ? empty(500) : tokens(`${number}`),
    )
    const all = () => Array.from({ length: 50 }, () => client.account.get())
    expect(await tally(all())).toEqual({ fulfilled: 50 })
    clock.now = 900_000
    expect(await tally(all())).toEqual({ fulfilled: 50 })
    expect(asked).toEqual(['login', 'refresh'])
    clock.now = 2 * 900_000
    isDown.now = true
    expect(await tally(all())).toEqual({ 500: 50 })
    isDown.now = false
    expect(await tally(all())).toEqual({ fulfilled: 50 })
    expect(asked).toEqual(['login', 'refresh', 'refresh', 'refresh'])
  })

  it('that is ended while it is refreshed does not take the next one with it', async () => {
    let refuse: (answer: Response) => void = () => undefined
    const { client, asked, clock } = withSessions((path, number) => {
      if (path === 'logout') return empty(204)
      if (path === 'login') return tokens(`${number}`)
      return new Promise((resolve) => (refuse = resolve))
    })
    await client.account.get()
    clock.now = 900_000
    const waiting = client.account.get()
    await client.auth.logout()
    await client.account.get()
    // The server refuses to refresh what was logged out: the call that waited logs in for itself.
    refuse(empty(401))
    await waiting
    await client.account.get()
    expect(asked).toEqual(['login', 'refresh', 'logout', 'login', 'login'])
  })

  it('goes on after a rejected token with the one that another call got meanwhile', async () => {
    const { client, asked } = withSessions((_path, number) => tokens(`${number}`))
    await client.account.get()
    await Promise.all(Array.from({ length: 5 }, () => client.account.get()))
    expect(asked).toEqual(['login'])
  })
})
