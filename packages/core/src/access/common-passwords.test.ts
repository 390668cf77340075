import { describe, expect, it } from 'vitest'
import { requireUncommon } from './common-passwords.js'

describe('a new password', () => {
  it.each([
    'passwordpassword',
    'PasswordPassword',
    '123456789012',
    'aaaaaaaaaaaa',
    '121212121212',
    'qwertyuiop123',
    'letmeinletmein',
    'ｐａｓｓｗｏｒｄ1234',
    ' unbelievable ',
  ])('that is as common as %j is refused', async (password) => {
    await expect(requireUncommon(password, null)).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field: 'password',
    })
  })

  it.each(['ada.lovelace@acme.example', 'Ada.Lovelace@ACME.example', 'ada.lovelace'])(
    'that is the address, such as %j, is refused',
    async (password) => {
      await expect(requireUncommon(password, 'ada.lovelace@acme.example')).rejects.toMatchObject({
        code: 'INVALID_FIELD',
        field: 'password',
      })
    },
  )

  it.each(['correct horse battery', 'abcabcabcabd', 'tr0ub4dor&3-more', 'ada.lovelace1815@acme.example'])(
    'such as %j is taken',
    async (password) => {
      await expect(requireUncommon(password, 'ada.lovelace@acme.example')).resolves.toBeUndefined()
    },
  )
})
