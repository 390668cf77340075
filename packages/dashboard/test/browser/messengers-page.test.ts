import type { TaskboardOptions } from '@taskboard/core'
import { beforeAll, expect, it } from 'vitest'
import { type OpenedApp, useStage } from '../opened-app.js'

const stage = useStage({ host: 'Express', storage: 'PGlite', mountPath: '', login: 'taskboard' })
let app: OpenedApp

interface Update {
  readonly id: string
  readonly code?: string
  readonly workspace?: string
}

const NAME = 'Ada’s <b>phone</b>'

/** A messenger in which one person writes: a code in a direct message, and `connect` in a group. */
const phone: NonNullable<TaskboardOptions['bots']>[number] = {
  name: 'phone',
  label: 'Phone',
  path: '/bots/phone',
  async handle({ bytes }, desk) {
    const { id, code, workspace } = JSON.parse(new TextDecoder().decode(bytes)) as Update
    const isDirect = code !== undefined
    const spoken = (updateId: string) => ({
      updateId,
      position: null,
      person: { id: 'P1', name: NAME },
      conversation: { id: isDirect ? 'D1' : 'G1', title: 'Operations', isDirect },
      replyTo: null,
      cardRepliesTo: null,
    })
    if (workspace !== undefined) await desk.connect(spoken(id), workspace)
    if (code === undefined) return { status: 200 }
    const offer = await desk.offerLink(spoken(`${id} code`), code)
    if (offer !== null) await desk.press(spoken(`${id} press`), { token: offer.accept, ref: null })
    return { status: 200, body: offer?.user }
  },
  show: async () => ({ outcome: 'gone' }),
  linkAddress: (code) => `https://phone.example/start?code=${code}`,
}

beforeAll(async () => {
  app = await stage.open({ taskboard: { bots: [phone], publicUrl: 'http://127.0.0.1' } })
  await app.context.grantPermissions(['clipboard-read', 'clipboard-write'])
}, 60_000)

const send = (update: Update) =>
  fetch(`${app.url}/bots/phone`, { method: 'POST', body: JSON.stringify(update) })
const button = (name: string) => app.page.getByRole('button', { name })

it('links an account of a messenger with a code that it shows once, and unlinks it', async () => {
  const { page } = app
  await app.go('#/settings/messengers')
  await button('Link an account').click()
  const code = await page.locator('code.secret').innerText()
  expect(code).toMatch(/^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}$/)
  await button('Copy').click()
  await button('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code)
  const link = page.getByRole('link', { name: 'Open Phone with the code' })
  expect(await link.getAttribute('href')).toBe(`https://phone.example/start?code=${code.replaceAll('-', '')}`)
  expect(await app.violations()).toEqual([])

  expect(await (await send({ id: '1', code })).text()).toBe(app.owner.email)
  await page.reload()
  await page.getByText(NAME, { exact: true }).waitFor()
  expect(await page.content()).not.toContain(code)
  await button(`Unlink: ${NAME}`).click()
  await page.getByText(`Unlinked ${NAME}.`).waitFor()
  await expect.poll(() => page.getByText(NAME, { exact: true }).count()).toBe(0)
  expect((await send({ id: '2', workspace: 'Default' })).status).not.toBe(200)
})

it('shows the conversations that are connected, and disconnects one after asking', async () => {
  const { page, taskboard, accountId } = app
  await app.go('#/settings/keys')
  await app.go('#/settings/messengers')
  await button('Link an account').click()
  await send({ id: '3', code: await page.locator('code.secret').innerText() })
  const [workspace] = await taskboard.accounts.listWorkspaces(accountId)
  expect((await send({ id: '4', workspace: workspace?.name ?? '' })).status).toBe(200)
  await page.reload()
  await page.getByText('Operations', { exact: true }).waitFor()
  expect(await app.violations()).toEqual([])
  await button('Disconnect: Operations').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Disconnected Operations.').waitFor()
  await expect.poll(() => page.getByText('Operations', { exact: true }).count()).toBe(0)
})
