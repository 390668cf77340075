import { expect, it, onTestFinished } from 'vitest'
import { openHost } from '../test/graphql-host.js'

it('writes nothing while the account is read-only', async () => {
  const host = await openHost()
  onTestFinished(() => host.close())
  const { accounts } = host.taskboard
  const { accountId } = await accounts.getWorkspace(host.workspaceId)
  const create = () => host.query('mutation { createTask(input: {title: "a task"}) { id } }')
  await accounts.update(accountId, { readOnly: true })
  expect((await create()).errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }])
  await accounts.update(accountId, { readOnly: false })
  expect((await create()).errors).toEqual([])
})
