import { describe, expect, it } from 'vitest'
import { readHosts } from './hosts.js'

describe('a connection string with several hosts', () => {
  it('is read as libpq reads it', () => {
    expect(readHosts('postgres://me:a%40b@one,two:5433,[::1]:5434/board?sslmode=require')).toEqual({
      hosts: [
        { host: 'one', port: 5432 },
        { host: 'two', port: 5433 },
        { host: '::1', port: 5434 },
      ],
      first: 'postgres://me:a%40b@one/board?sslmode=require',
      target: 'primary',
    })
    expect(readHosts('postgresql://one/board?target_session_attrs=standby')).toEqual({
      hosts: [{ host: 'one', port: 5432 }],
      first: 'postgresql://one/board',
      target: 'standby',
    })
  })

  it.each([
    'mysql://one/board',
    'postgres:///board',
    'postgres://one,,two/board',
    'postgres://a/b?target_session_attrs=any',
  ])('is refused: %s', (text) =>
    expect(() => readHosts(text)).toThrowError(expect.objectContaining({ code: 'INVALID_CONFIG' })),
  )
})
