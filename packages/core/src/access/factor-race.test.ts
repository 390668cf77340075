import { oneTimePassword } from '@taskboard/kit/access/one-time-password'
import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'

const owner = { email: 'ada@example.com', password: 'correct horse battery' }
const HERE = { clientAddress: '203.0.113.7' }

it('a login with the password alone begins no session when a second factor is set up while it is checked', async () => {
  const clock = virtualClock()
  let held = Promise.resolve()
  let onVerify = () => undefined as void
  const board = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    passwordHasher: {
      ...plainPasswordHasher,
      async verify(password, stored) {
        onVerify()
        await held
        return plainPasswordHasher.verify(password, stored)
      },
    },
    tokens: { secret: 's'.repeat(32) },
    secrets: { encryptionKey: '0'.repeat(64) },
  })
  const { user } = await board.accounts.create({ name: 'Ada', tier: 'custom', owner })
  const { login } = board.services
  if (user === null || login === null) throw new Error('no login')
  await login.sessions.login(owner, HERE)
  const [own] = await login.sessions.list(user.id)
  const { secret } = await login.mfa.begin(user.id)

  let release = () => undefined as void
  held = new Promise((resolve) => (release = resolve))
  const isChecked = new Promise<void>((resolve) => (onVerify = resolve))
  const late = login.sessions.login(owner, HERE)
  await isChecked
  const code = oneTimePassword(secret, clock.now())
  await login.mfa.confirm({ userId: user.id, sessionId: own?.id ?? '' }, code, { kind: 'host' })
  release()
  await expect(late).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect((await login.sessions.list(user.id)).map(({ id }) => id)).toEqual([own?.id])
  await board.close()
})
