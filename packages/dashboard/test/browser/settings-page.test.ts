import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TaskboardError, type NotificationType, webhookEventTypes } from '@taskboard/core'
import { notificationEventTypes } from '@taskboard/core/transport'
import { discord, email } from '@taskboard/notify'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OpenedApp, useStage } from '../opened-app.js'

const stage = useStage({ host: 'Fastify', storage: 'PGlite', mountPath: '', login: 'taskboard' })
let app: OpenedApp
let receiver: Server
let receiverUrl: string
/** What the receiver answers. */
let status = 500

/** A type of the host's own, with a form. */
const pager: NotificationType<{ shift: string; key?: string }> = {
  name: 'pager',
  label: 'Night watch',
  secrets: ['key'],
  fields: { shift: { label: 'Shift', hint: 'day or night' }, key: { label: 'Key', optional: true } },
  parseConfig({ shift }) {
    if (shift === 'day' || shift === 'night') return { shift }
    throw new TaskboardError('INVALID_FIELD', 'shift must be day or night', { field: 'shift' })
  },
  deliver: () => Promise.resolve(),
}

/** One that says nothing of its configuration. */
const plain: NotificationType = {
  name: 'plain',
  secrets: [],
  parseConfig: (config) => config,
  deliver: () => Promise.resolve(),
}

beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume()
    response.writeHead(status).end('<img src=x onerror=alert(1)>')
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const mail = email({
    transport: 'smtp://127.0.0.1:1',
    from: 'board@example.com',
    allowRecipient: () => true,
  })
  app = await stage.open({
    taskboard: { notifications: [discord(), mail, pager, plain], webhooks: { allow: ['127.0.0.0/8'] } },
  })
  await app.context.grantPermissions(['clipboard-read', 'clipboard-write'])
}, 60_000)
afterAll(() => receiver.close())

const controlsOf = (page: Page) => ({
  button: (name: string | RegExp) => page.getByRole('button', { name }),
  dialog: () => page.getByRole('dialog'),
  field: (label: string) => page.getByLabel(label, { exact: true }),
})
const button = (name: string | RegExp) => controlsOf(app.page).button(name)
const dialog = () => controlsOf(app.page).dialog()
const field = (label: string) => controlsOf(app.page).field(label)

/** The texts of what a locator finds, as soon as it is drawn. */
async function expectShown(found: Locator, texts: readonly string[]): Promise<void> {
  await expect.poll(() => found.allInnerTexts()).toEqual([...texts])
}

async function expectAccessible(): Promise<void> {
  expect(await app.violations()).toEqual([])
}

it('makes an API key, shows it once with a copy, rotates and revokes it', async () => {
  const { page, url } = app
  await app.go('#/settings/keys')
  await page.getByText('No API keys yet.').waitFor()
  await button('New API key').click()
  await field('Name').fill('Night worker')
  await expectAccessible()
  await button('Create key').click()
  const shown = page.getByRole('region', { name: 'The key of Night worker' })
  const key = await shown.locator('code').innerText()
  expect(key).toMatch(/^tb_\w{30,}$/)
  await expect
    .poll(() => page.evaluate('document.activeElement.getAttribute("aria-labelledby") !== null'))
    .toBe(true)
  await shown.getByRole('button', { name: 'Copy' }).click()
  await shown.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  expect(page.url()).not.toContain(key)
  const answer = await fetch(`${url}/v2/tasks`, { headers: { authorization: `Bearer ${key}` } })
  expect(answer.status).toBe(200)

  await button('I have stored the key').click()
  expect(await page.content()).not.toContain(key)
  await button('Rotate: Night worker').click()
  await field('The old key works for').selectOption('1 hour')
  await dialog().getByRole('button', { name: 'Rotate' }).click()
  const next = await page.getByRole('region', { name: 'The key of Night worker' }).locator('code').innerText()
  expect(next).not.toBe(key)
  await button('I have stored the key').click()
  await button('Revoke: Night worker').first().click()
  await dialog().getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Revoked', { exact: true }).waitFor()
})

it('registers a webhook, tests it, reads its log, sends again, and rotates its secret', async () => {
  const { page } = app
  await app.go('#/settings/webhooks')
  await button('New webhook').click()
  await expectShown(dialog().locator('.events label'), webhookEventTypes)
  await field('URL').fill('http://10.0.0.1/hook')
  await button('Create webhook').click()
  await page.getByText(/^The URL must/).waitFor()
  expect(await field('URL').inputValue()).toBe('http://10.0.0.1/hook')
  await field('URL').fill(receiverUrl)
  await field('Signature').selectOption('With your own secret')
  await field('Secret').fill('too short')
  await button('Create webhook').click()
  await page.getByText(/secret must have at least 16 characters/i).waitFor()
  await field('Secret').fill('long enough to be a secret')
  await button('Create webhook').click()

  await button('Send test').click()
  const result = page.getByRole('group', { name: 'Result of the test' })
  await result.getByText('HTTP 500').waitFor()
  await result.getByText('<img src=x onerror=alert(1)>').waitFor()
  status = 200
  await button('Send test').click()
  await result.getByText('Delivered').waitFor()
  await field('Status').selectOption('Delivered')
  const log = page.getByRole('region', { name: 'Deliveries' })
  await log.getByText('Delivered', { exact: true }).last().waitFor()
  await log.getByRole('listitem').locator('summary').first().click()
  await log.getByRole('cell', { name: '200' }).waitFor()
  await expectAccessible()
  await button('Resend: task.completed').first().click()
  await page.getByText('Sending 1 delivery again.').last().waitFor()
  await page.getByText('Resend a time range').click()
  await field('From').fill('2026-01-02T00:00')
  await field('To').fill('2026-01-01T00:00')
  await page.getByRole('button', { name: 'Resend', exact: true }).click()
  await page.getByText(/must be after/).waitFor()

  await button('Rotate secret').click()
  await button('Create new secret').click()
  const secret = page.getByRole('region', { name: 'The new secret' })
  await secret.getByText(/The old secret is valid until/).waitFor()
  expect(await secret.locator('code').innerText()).toMatch(/^whsec_/)
  await button('I have stored the secret').click()
  await button('Disable').click()
  await page.getByText('Disabled', { exact: true }).waitFor()
  await button('Enable').click()
  await page.getByText('Enabled', { exact: true }).waitFor()
  await button('Delete').click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No webhooks yet.').waitFor()
})

it('shows the secret that it made for a webhook once, and marks one that is weak', async () => {
  const { page, taskboard, workspaceId } = app
  const weak = { url: 'https://weak.example/hook', events: ['task.created' as const], secret: 'z' }
  await taskboard.webhooks.register(workspaceId, weak)
  await app.go('#/settings/schedules')
  await app.go('#/settings/webhooks')
  const row = page.getByRole('listitem').filter({ hasText: weak.url })
  await row.getByText('Weak secret: rotate it').waitFor()
  await button('New webhook').click()
  await field('URL').fill(receiverUrl)
  await button('Create webhook').click()
  const secret = page.getByRole('region', { name: 'The secret of the webhook' })
  expect(await secret.locator('code').innerText()).toMatch(/^whsec_/)
  await page.getByRole('listitem').filter({ hasText: receiverUrl }).waitFor()
  await expectAccessible()
  await button('I have stored the secret').click()
  expect(await secret.count()).toBe(0)
  for (const { id } of await taskboard.webhooks.list(workspaceId))
    await taskboard.webhooks.delete(workspaceId, id)
})

it('offers the types of channels that the host registered, each with its own form', async () => {
  const { page, taskboard, workspaceId } = app
  await app.go('#/settings/channels')
  await button('New channel').click()
  await expectShown(field('Type').locator('option'), ['Discord', 'Email', 'Night watch', 'plain'])
  await expectShown(dialog().locator('.events label'), notificationEventTypes)
  await field('Name').fill('Ops')
  await field('Type').selectOption('Night watch')
  await field('Shift').fill('noon')
  await button('Create channel').click()
  await page.getByText('Shift must be day or night.').waitFor()
  expect(await field('Shift').getAttribute('aria-invalid')).toBe('true')
  await field('Type').selectOption('plain')
  await field('Configuration (JSON)').fill('[7]')
  await button('Create channel').click()
  await page.getByText('This must be a JSON object').waitFor()
  await field('Type').selectOption('Email')
  await field('Recipients').fill('ops@example.com\nnight@example.com')
  await expectAccessible()
  await button('Create channel').click()
  await page.getByText('Email', { exact: true }).waitFor()
  await button('Edit: Ops').click()
  expect(await field('Recipients').inputValue()).toBe('ops@example.com\nnight@example.com')
  await field('Recipients').fill('ops@example.com')
  await button('Save').click()
  await dialog().waitFor({ state: 'detached' })
  const { channels } = await taskboard.channels.list(workspaceId)
  expect(channels.map(({ config }) => config)).toEqual([{ to: ['ops@example.com'] }])
  await button('Delete: Ops').click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No channels yet.').waitFor()
})

it('keeps the secret of a channel, and says why a test failed', async () => {
  const { page } = app
  status = 500
  await app.go('#/settings/channels')
  await button('New channel').click()
  await field('Name').fill('Ops')
  await field('URL of the incoming webhook').fill('http://10.0.0.1/hook')
  await button('Create channel').click()
  await page.getByText(/^URL of the incoming webhook must/).waitFor()
  await field('URL of the incoming webhook').fill(`${receiverUrl}?token=T0P-S3CRET`)
  await button('Create channel').click()
  await button('Send test: Ops').click()
  await page.getByText(/^Not delivered: HTTP 500/).waitFor()
  await button('Edit: Ops').click()
  expect(await field('URL of the incoming webhook').inputValue()).toBe('')
  await field('Name').fill('Operations people')
  await button('Save').click()
  status = 200
  await button('Send test: Operations people').click()
  await page.getByText(/^Delivered in \d+ ms\.$/).waitFor()
  expect(await page.content()).not.toContain('T0P-S3CRET')
  await expectAccessible()
})

it('says at the top that a host has registered no types of channels, and offers none', async () => {
  const bare = await stage.open()
  await bare.go('#/settings/channels')
  await bare.page.getByText('This server offers no channel types.').waitFor()
  await bare.page.getByText('No channels', { exact: true }).waitFor()
  expect(await controlsOf(bare.page).button('New channel').count()).toBe(0)
  expect(await bare.violations()).toEqual([])
})

it('adds a schedule, and says in words when it adds its next task', async () => {
  const { page } = app
  await app.go('#/settings/schedules')
  await button('New schedule').click()
  await field('When').selectOption('A cron expression …')
  await field('Cron expression').fill('61 * * * *')
  await field('Title').fill('Weekly report')
  await button('Create schedule').click()
  await page.getByText(/^Cron must be/).waitFor()
  expect(await field('Title').inputValue()).toBe('Weekly report')
  await field('Cron expression').fill('30 8 * * 1')
  await button('Create schedule').click()
  await page
    .getByText(/^Saved\. The next task is added on Monday, .* 08:30 /)
    .last()
    .waitFor()
  await page.getByText('Every Monday at 8:30').waitFor()
  await expectAccessible()
  await button('Disable: Weekly report').click()
  await page.getByText('Disabled', { exact: true }).waitFor()
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Enable: Weekly report')
  await button('Delete: Weekly report').click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No schedules yet.').waitFor()
})

it('invites a person, who becomes a member by the link, and removes them', async () => {
  // A host with a login of its own keeps its people itself.
  const own = stage.setting.login === 'taskboard' ? app : await stage.open({ login: 'taskboard' })
  const { page } = own
  const shown = controlsOf(page)
  const grace = 'grace@example.com'
  await own.go('#/settings/members')
  await page.getByText('You', { exact: true }).waitFor()
  await shown.button('Invite member').click()
  await shown.field('Email').fill(grace)
  await shown.field('Role').selectOption('Viewer')
  expect(await own.violations()).toEqual([])
  await shown.dialog().getByRole('button', { name: 'Invite' }).click()
  const shownOnce = page.getByRole('region', { name: `Invitation for ${grace}` })
  const link = await shownOnce.locator('code').innerText()
  expect(await own.violations()).toEqual([])
  await shown.button('I have sent the link').click()
  expect(await page.content()).not.toContain(link)
  await shown.button('Invite member').click()
  await shown.field('Email').fill('other@example.com')
  await shown.dialog().getByRole('button', { name: 'Invite' }).click()
  await shown.button('I have sent the link').click()
  const open = page.getByRole('region', { name: 'Open invitations' })
  await open.getByRole('button', { name: 'Withdraw: other@example.com' }).click()
  await expectShown(open.locator('.row-title bdi'), [grace])

  const { page: hers, expectProblem } = await (await stage.person()).openTab()
  // When she is removed, or at the next refresh.
  expectProblem(/status of 401/)
  await hers.goto(link)
  await hers.getByRole('heading', { name: `Join Acme as ${grace}` }).waitFor()
  expect(hers.url()).not.toContain('invitation=')
  await hers.getByLabel('Password').fill('a long password of hers')
  await hers.getByRole('button', { name: 'Join' }).click()
  await hers.getByRole('navigation', { name: 'Main' }).waitFor()

  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: grace })
  await row.getByText('Viewer').waitFor()
  expect(await open.count()).toBe(0)
  await shown.button(`Change role: ${grace}`).click()
  await shown.field('Role').selectOption('Manager')
  await shown.button('Save').click()
  await shown.dialog().waitFor({ state: 'detached' })
  await row.getByText('Manager').waitFor()
  await shown.button(`Remove: ${grace}`).click()
  await shown.dialog().getByRole('button', { name: 'Remove' }).click()
  await row.waitFor({ state: 'detached' })
  const users = await own.taskboard.accounts.listUsers(own.accountId)
  expect(users.map(({ email: address }) => address)).toEqual(['ada@example.com'])
})

it('leaves the link of an invitation to a host that sends them, unless the link is to be shown', async () => {
  const sent: string[] = []
  const members = { onInvitation: ({ link }: { readonly link: string }) => void sent.push(link) }
  const mailing = await stage.open({
    login: 'taskboard',
    taskboard: { members, publicUrl: 'https://acme.example' },
  })
  const shown = controlsOf(mailing.page)
  const invite = async (address: string): Promise<void> => {
    await shown.button('Invite member').click()
    await shown.field('Email').fill(address)
  }
  const submit = () => shown.dialog().getByRole('button', { name: 'Invite' }).click()
  await mailing.go('#/settings/members')
  await invite('grace@example.com')
  await submit()
  await mailing.page.getByText('Sent an invitation to grace@example.com.').last().waitFor()
  expect(sent).toEqual([expect.stringMatching(/^https:\/\/acme\.example\/dashboard\/#invitation=/)])
  await invite('other@example.com')
  await shown.field("Show me the link, I'll send it myself").check()
  await submit()
  const shownOnce = mailing.page.getByRole('region', { name: 'Invitation for other@example.com' })
  await shownOnce.locator('code').waitFor()
  expect(sent).toHaveLength(1)
})

it('creates a workspace, limits what it may cost, and deletes it after its name was typed', async () => {
  const { page } = app
  await app.go('#/settings/workspaces')
  await button('New workspace').click()
  await field('Name').fill('Warehouse')
  await button('Create workspace').click()
  await button('Monthly budget: Warehouse').click()
  await field('US dollars per month').fill('20')
  await button('Save').click()
  await page.getByText('US$0.00 of US$20.00').waitFor()
  await button('Rename: Warehouse').click()
  await field('Name').fill('Depot')
  await button('Save').click()
  await button('Delete: Depot').click()
  const remove = dialog().getByRole('button', { name: 'Delete' })
  expect(await remove.isDisabled()).toBe(true)
  await field('Type Depot to confirm').fill('Depot')
  await remove.click()
  await button('Delete: Depot').waitFor({ state: 'detached' })
  await app.go('#/settings/usage')
  await page.getByRole('meter', { name: /^Webhooks: \d+ of 500$/ }).waitFor()
  await expectAccessible()
})
