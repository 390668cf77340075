import { describe, expect, it } from 'vitest'
import { parseBearer } from './authenticator.js'

describe('parseBearer', () => {
  it('accepts the scheme in any case and every character that a token may have', () => {
    expect(parseBearer('Bearer tb_abc')).toBe('tb_abc')
    expect(parseBearer('bearer a.b-c_d~e+f/g==')).toBe('a.b-c_d~e+f/g==')
    expect(parseBearer('BEARER x')).toBe('x')
    expect(parseBearer(`Bearer ${'x'.repeat(4_096)}`)).toHaveLength(4_096)
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer  x',
    ' Bearer x',
    'Bearer x ',
    'Bearer x y',
    'Bearer x, Bearer y',
    'Bearer\tx',
    'Bearer x\n',
    'Basic dTpw',
    'tb_abc',
    'Bearer =',
    'Bearer é',
    `Bearer ${'x'.repeat(4_097)}`,
  ])('refuses %j', (header) => {
    expect(parseBearer(header)).toBeNull()
  })
})
