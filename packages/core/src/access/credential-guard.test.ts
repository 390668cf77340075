import { describe, expect, it } from 'vitest'
import { systemClock } from '../environment/index.js'
import { createCredentialGuard } from './credential-guard.js'

function guardAt(start = 1_000_000) {
  const state = { now: start }
  const clock = { ...systemClock, now: () => state.now }
  return { state, guard: createCredentialGuard({ clock }), clock }
}

describe('createCredentialGuard', () => {
  it('answers 60 failures a rolling minute with UNAUTHORIZED, and those after them with the exact wait', () => {
    const { state, guard } = guardAt()
    const within = Array.from({ length: 60 }, () => guard.refuse('203.0.113.9', 'Bearer wrong'))
    for (const error of within) expect(error).toMatchObject({ code: 'UNAUTHORIZED', retryAfterMs: undefined })
    state.now += 20_000
    expect(guard.refuse('203.0.113.9', 'Bearer wrong')).toMatchObject({
      code: 'UNAUTHORIZED',
      retryAfterMs: 40_000,
    })
    expect(guard.refuse('203.0.113.10', 'Bearer wrong').retryAfterMs).toBeUndefined()
    state.now += 40_000
    expect(guard.refuse('203.0.113.9', 'Bearer wrong').retryAfterMs).toBeUndefined()
  })

  it('does not count requests without a credential', () => {
    const { guard } = guardAt()
    for (let i = 0; i < 100; i++) expect(guard.refuse('203.0.113.9', undefined).retryAfterMs).toBeUndefined()
    expect(guard.refuse('203.0.113.9', 'Bearer wrong').retryAfterMs).toBeUndefined()
  })

  it('counts all addresses of one IPv6 network together', () => {
    const { guard } = guardAt()
    for (let i = 0; i < 60; i++) guard.refuse(`2001:db8::${i.toString(16)}`, 'Bearer wrong')
    expect(guard.refuse('2001:db8::ffff', 'Bearer wrong').retryAfterMs).toBe(60_000)
    expect(guard.refuse('2001:db8:0:1::1', 'Bearer wrong').retryAfterMs).toBeUndefined()
  })

  it('shows nothing of the credential', () => {
    const { guard } = guardAt()
    const errors = Array.from({ length: 61 }, () => guard.refuse('203.0.113.9', 'Bearer tb_private'))
    expect(errors.map(String).join()).not.toContain('private')
  })

  it('takes its limits from the host and refuses unusable ones', () => {
    const { clock } = guardAt()
    const guard = createCredentialGuard({ clock, failuresPerMinute: 1, maxAddresses: 1 })
    const waits = ['a', 'a', 'b'].map((address) => guard.refuse(address, 'Bearer wrong').retryAfterMs)
    expect(waits).toEqual([undefined, 60_000, expect.any(Number)])
    expect(() => createCredentialGuard({ clock, failuresPerMinute: 0 })).toThrow('limit')
  })
})
