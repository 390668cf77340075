import { createTaskboard, type Storage } from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher } from '@taskboard/testing'
import { expect, it } from 'vitest'

const password = 'correct horse battery'

/** A storage that shows the users of an account only when `most` requests ask for them, once `isHeld` says so. */
function meetingStorage(most: number, isHeld: () => boolean): Storage {
  const storage: Storage = memoryStorage()
  const waiting: (() => void)[] = []
  return {
    ...storage,
    access: {
      ...storage.access,
      async listUsers(of, call) {
        const users = await storage.access.listUsers(of, call)
        if (!isHeld()) return users
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          if (waiting.length === most) for (const meet of waiting) meet()
        })
        return users
      },
    },
  }
}

it('stays when two owners delete each other in requests of which each has found the other one', async () => {
  let isHeld = false
  const board = createTaskboard({
    storage: meetingStorage(2, () => isHeld),
    logger: false,
    passwordHasher: plainPasswordHasher,
    tokens: { secret: 's'.repeat(32) },
  })
  const handle = toFetchHandler(board)
  const { account } = await board.accounts.create({ name: 'Two', tier: 'custom' })
  const make = async (email: string) => {
    const { id } = await board.accounts.createUser(account.id, { email, password })
    const tokens = await board.services.login?.sessions.login(
      { email, password },
      { clientAddress: '203.0.113.7' },
    )
    return { id, authorization: `Bearer ${tokens?.accessToken ?? ''}` }
  }
  const [one, two] = [await make('one@two.example'), await make('two@two.example')]
  const remove = ({ authorization }: typeof one, { id }: typeof one) => {
    const url = `http://board.example/v2/account/members/${id}`
    return handle(new Request(url, { method: 'DELETE', headers: { authorization } }))
  }
  isHeld = true
  const answers = await Promise.all([remove(one, two), remove(two, one)])
  isHeld = false
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409])
  expect(await board.accounts.listUsers(account.id)).toHaveLength(1)
  await board.close()
})
