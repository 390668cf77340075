import { describe, expect, it } from 'vitest'
import { refusePage } from './page-guard.js'

function isRefused(target: string, origin?: string, options: Parameters<typeof refusePage>[1] = {}): boolean {
  const header = (name: string) => (name === 'origin' ? origin : undefined)
  return refusePage({ targetOrigin: target, header }, options) !== null
}

describe('the guard against pages', () => {
  it('lets programs address any host, and pages only a local one', () => {
    expect(isRefused('https://board.example')).toBe(false)
    expect(isRefused('http://localhost:3000', 'http://localhost:3000')).toBe(false)
    expect(isRefused('http://[::1]:3000', 'http://[::1]:3000')).toBe(false)
    expect(isRefused('http://evil.example:3000', 'http://evil.example:3000')).toBe(true)
    expect(isRefused('http://localhost:3000', 'http://localhost:4000')).toBe(true)
  })

  it('lets nobody address a host beside the allowed ones', () => {
    const options = { allowedHosts: ['board.example'] }
    expect(isRefused('https://board.example', undefined, options)).toBe(false)
    expect(isRefused('https://board.example', 'https://board.example', options)).toBe(false)
    expect(isRefused('https://other.example', undefined, options)).toBe(true)
    expect(isRefused('', undefined, options)).toBe(true)
  })
})
