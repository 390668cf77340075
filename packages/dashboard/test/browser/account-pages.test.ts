import { readFile } from 'node:fs/promises'
import type { Role } from '@taskboard/core'
import { followLink } from '@taskboard/kit/browser/follow-link'
import { virtualClock } from '@taskboard/testing'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type OpenedApp, type OpenOptions, useStage } from '../opened-app.js'

const stage = useStage({ host: 'Express', storage: 'memory', mountPath: '', login: 'taskboard' })

/** These are about Taskboard's login. */
const open = (options: OpenOptions = {}): Promise<OpenedApp> => stage.open({ login: 'taskboard', ...options })

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })

/** Adds another person to the account; returns their address. */
async function addGrace({ taskboard, accountId }: OpenedApp, role: Role): Promise<string> {
  const email = 'grace@example.com'
  const { id } = await taskboard.accounts.createUser(accountId, {
    email,
    password: 'a long password of hers',
  })
  await taskboard.accounts.setRole(accountId, id, role)
  return email
}

/** The browser of somebody who has logged in by a link. */
async function openAs({ dashboard, url }: OpenedApp, email: string): Promise<Page> {
  const tab = await (await stage.person()).openTab()
  tab.expectProblem(/^console: Failed to load resource/)
  await followLink(tab.page, await dashboard.createLoginLink({ email, baseUrl: url }))
  return tab.page
}

/** A program whose name a spreadsheet would run registers a webhook. */
async function registerByKey({ taskboard, url, workspaceId }: OpenedApp): Promise<void> {
  const name = '=2+3'
  const { key } = await taskboard.accounts.createKey({ workspaceId, name, scopes: ['webhooks:write'] })
  const answer = await fetch(`${url}/v2/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://hooks.example/', events: ['task.created'] }),
  })
  expect(answer.status).toBe(201)
}

it('shows the audit by action and by day, and saves what is shown as a file', async () => {
  const app = await open()
  const { page } = app
  await registerByKey(app)
  await app.go('#/audit')
  const records = page.getByRole('region', { name: 'Audit' }).getByRole('listitem')
  await records.filter({ hasText: 'Webhook created' }).waitFor()
  await records.filter({ hasText: 'Logged in' }).getByText(app.owner.email).waitFor()
  expect(await app.violations()).toEqual([])

  await page.getByLabel('Action').selectOption('Webhook created')
  await expect.poll(() => records.count()).toBe(1)
  expect(await records.innerText()).toMatch(/API key =2\+3\s+from 127\.0\.0\.1/)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('audit.csv')
  const [names = '', line = '', ...rest] = (await readFile(await download.path(), 'utf8')).split('\r\n')
  expect(names.split(',').slice(0, 3)).toEqual(['at', 'action', 'outcome'])
  expect(line).toMatch(/^[^,]+,webhook\.created,done,1,api_key,[^,]+,'=2\+3,/)
  expect(rest).toEqual([''])

  await page.getByLabel('Action').selectOption('All actions')
  await expect.poll(() => records.count()).toBeGreaterThan(1)
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('First day').fill(day(2))
  await page.getByText('No records match.').waitFor()
  await page.getByLabel('First day').fill(day(-2))
  await page.getByLabel('Last day').fill(day(2))
  await records.filter({ hasText: 'Webhook created' }).waitFor()
  await page.getByLabel('Last day').fill(day(-2))
  await page.getByText('No records match.').waitFor()
})

it('offers the audit to nobody who lacks its scope', async () => {
  const app = await open()
  await main(app.page).getByRole('link', { name: 'Audit' }).waitFor()
  const page = await openAs(app, await addGrace(app, 'member'))
  expect(await main(page).getByRole('link').allInnerTexts()).not.toContain('Audit')
  await app.go('#/audit', page)
  const shown = page.getByRole('region', { name: 'Audit' })
  await shown.getByText("You don't have permission for this.").waitFor()
  expect(await shown.getByRole('listitem').count()).toBe(0)
})

it('lists where a person is logged in, ends one session, and then all others', async () => {
  const app = await open()
  const { page, owner } = app
  const others = [await openAs(app, owner.email), await openAs(app, owner.email)]
  await app.go('#/settings/security')
  const sessions = page.getByRole('region', { name: 'Where you are logged in' })
  const rows = sessions.getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(3)
  await rows.filter({ hasText: 'This browser' }).waitFor()
  expect(await app.violations()).toEqual([])
  await sessions
    .getByRole('button', { name: /^Revoke: / })
    .first()
    .click()
  await expect.poll(() => rows.count()).toBe(2)
  await sessions.getByRole('button', { name: 'Revoke all others' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  expect(await sessions.getByRole('button').count()).toBe(0)
  for (const other of others) {
    await other.reload()
    await other.getByLabel('Email').waitFor()
  }
  await page.reload()
  await main(page).waitFor()
})

const keyRow = (page: Page, name: string) =>
  page.getByRole('region', { name: 'API keys' }).getByRole('listitem').filter({ hasText: name })

it('asks who is there before a key with many rights, and says of each key who made it and when it was used', async () => {
  const clock = virtualClock()
  const app = await open({ taskboard: { clock } })
  const { page, owner, url } = app
  const grace = await addGrace(app, 'owner')
  const hers = await openAs(app, grace)
  await app.go('#/settings/keys', hers)
  await hers.getByRole('button', { name: 'New API key' }).click()
  await hers.getByLabel('Name').fill('Hers')
  await hers.getByRole('button', { name: 'Create key' }).click()
  await keyRow(hers, 'Hers').waitFor()
  await clock.advance({ minutes: 11 })
  await app.go('#/settings/keys')
  await keyRow(page, 'Hers').getByText(`Created by ${grace}`).waitFor()
  await page.getByRole('button', { name: 'New API key' }).click()
  await page.getByLabel('Name').fill('Ours')
  await page.getByLabel('Read analytics').check()
  await page.getByRole('button', { name: 'Create key' }).click()
  const question = page.getByRole('dialog', { name: "Confirm that it's you" })
  await question.waitFor()
  expect(await app.violations()).toEqual([])
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('This needs a recent login.').waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  await question.getByLabel('Password').fill('not the password')
  await question.getByRole('button', { name: 'Confirm' }).click()
  await question.getByText(/wrong/).waitFor()
  await question.getByLabel('Password').fill(owner.password)
  await question.getByRole('button', { name: 'Confirm' }).click()
  const key = await page.getByRole('region', { name: 'The key of Ours' }).locator('code').innerText()
  await keyRow(page, 'Ours').getByText('Created by you').waitFor()
  await keyRow(page, 'Ours').getByText('Never used').waitFor()
  const answer = await fetch(`${url}/v2/tasks`, { headers: { authorization: `Bearer ${key}` } })
  expect(answer.status).toBe(200)
  await expect
    .poll(async () => {
      await page.reload()
      await keyRow(page, 'Ours').waitFor()
      return keyRow(page, 'Ours').getByText('Last used').count()
    })
    .toBe(1)
})
