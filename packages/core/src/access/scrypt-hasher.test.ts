import { describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import { createScryptHasher, passwordHasher } from './password-hasher.js'

const quick = createScryptHasher({ random: systemRandom, costLog2: 4 })

describe('createScryptHasher', () => {
  it('stores a password as a salted hash that names its cost', async () => {
    const hasher = createScryptHasher({ random: systemRandom })
    const stored = await hasher.hash('correct horse battery')
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(await hasher.verify('correct horse battery', stored)).toBe(true)
    expect(await hasher.verify('correct horse batterz', stored)).toBe(false)
  })

  it('salts each time, and verifies a hash of another cost', async () => {
    const [one, two] = [await quick.hash('same'), await quick.hash('same')]
    expect(one).not.toBe(two)
    const costlier = createScryptHasher({ random: systemRandom, costLog2: 5 })
    expect(await costlier.verify('same', one)).toBe(true)
  })

  it('agrees with another implementation of scrypt', async () => {
    // By Python's hashlib.scrypt, for N = 1024.
    const stored = '$scrypt$ln=10,r=8,p=1$U29kaXVtQ2hsb3JpZGUAAA$YtIu5mWnoTUh222OsFe3cj+DNI2WIUNTefaV0uKpF5k'
    expect(await quick.verify('pleaseletmein', stored)).toBe(true)
  })

  it('ignores how letters are composed', async () => {
    expect(await quick.verify('cafe\u0301 \u2460', await quick.hash('caf\u00e9 1'))).toBe(true)
  })

  it('has a decoy of the same cost that no password matches', async () => {
    const form = (stored: string) => stored.split('$').slice(0, 3)
    expect(form(quick.decoy)).toEqual(form(await quick.hash('x')))
    expect(await quick.verify('', quick.decoy)).toBe(false)
  })

  it.each(['', 'plain', '$scrypt$ln=15,r=8,p=1$x$y', '$scrypt$ln=0,r=8,p=1$', '$argon2id$v=19$m=1$a$b'])(
    'takes %j for no hash',
    async (stored) => {
      expect(await quick.verify('x', stored)).toBe(false)
    },
  )

  it('refuses a cost that would take too much memory', async () => {
    const stored = (await quick.hash('x')).replace('ln=4', 'ln=25')
    expect(await quick.verify('x', stored)).toBe(false)
  })

  it('says which hashes cost less than new ones', async () => {
    const stored = await quick.hash('x')
    const costlier = createScryptHasher({ random: systemRandom, costLog2: 5 })
    expect(quick.isOutdated?.(stored)).toBe(false)
    expect(costlier.isOutdated?.(stored)).toBe(true)
    expect(quick.isOutdated?.(stored.replace('p=3', 'p=1'))).toBe(true)
    expect(quick.isOutdated?.('plain')).toBe(false)
  })
})

describe('passwordHasher', () => {
  it('hashes at the cost that it is given, and not below the default', async () => {
    expect(passwordHasher().decoy).toContain('ln=15,r=8,p=3')
    expect(passwordHasher({ costLog2: 16 }).decoy).toContain('ln=16,r=8,p=3')
    for (const costLog2 of [14, 18, 15.5]) {
      expect(() => passwordHasher({ costLog2 })).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG', field: 'costLog2' }),
      )
    }
  })

  it('refuses what is not an option, instead of hashing at the default', () => {
    for (const name of ['costLog', 'cost', 'log2']) {
      const misspelled = { [name]: 17 }
      expect(() => passwordHasher(misspelled)).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG', field: name }),
      )
    }
  })
})
