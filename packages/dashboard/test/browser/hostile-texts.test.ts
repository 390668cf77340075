import { defineAgent, scopes } from '@taskboard/core'
import { slack } from '@taskboard/notify'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { agentTexts, type Attacked, attackWith } from '../hostile/attack.js'
import { exceptions, textFieldsOf } from '../hostile/fields.js'
import { hostileTexts } from '../hostile/strings.js'
import { createWriter, type Writer } from '../hostile/writer.js'
import { type OpenedApp, useStage } from '../opened-app.js'
import { MEMBER } from '../served-board.js'

const stage = useStage({ host: 'Express', storage: 'memory', mountPath: '/kanban', login: 'taskboard' })
const echo = defineAgent({ type: 'echo', run: () => '', chat: (message) => Promise.resolve(message) })
const unlimited = { requestsPerHour: null, burstPerMinute: null }

let app: OpenedApp
let writer: Writer
let attacked: Attacked

beforeAll(async () => {
  app = await stage.open({
    isLoggedIn: false,
    taskboard: {
      agents: [echo],
      notifications: [slack()],
      tiers: { professional: unlimited },
      limits: { boardPerMinute: 100_000 },
    },
  })
  const { taskboard, accountId, workspaceId } = app
  await taskboard.agents.create(workspaceId, { name: 'Echo', type: 'echo' })
  const { key } = await taskboard.accounts.createKey({ accountId, name: 'worker', scopes: [...scopes] })
  writer = createWriter(app.url, { worker: bearer(key), person: await personOf(app) })
  attacked = await attackWith(writer, workspaceId)
}, 120_000)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The headers of the owner's requests. */
async function personOf({ url, owner: { email, password } }: OpenedApp) {
  if (stage.setting.login === 'host') return { cookie: `member=${MEMBER}`, origin: new URL(url).origin }
  const answer = await fetch(`${url}/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  return bearer(((await answer.json()) as { readonly access_token: string }).access_token)
}

it('are written into every text that requests take', async () => {
  const document = await fetch(`${app.url}/v2/openapi.json`)
  const fields = textFieldsOf((await document.json()) as Parameters<typeof textFieldsOf>[0])
  const isLeftOut = (field: string): boolean => exceptions.some((each) => each.fields.test(field))
  expect(fields.filter((field) => !writer.written.has(field) && !isLeftOut(field))).toEqual([])
  expect([...writer.written].filter((field) => isLeftOut(field) || !fields.includes(field))).toEqual([])
  // With the login of a host there are no routes for credentials.
  if (stage.setting.login === 'taskboard') {
    expect(exceptions.filter((each) => !fields.some((field) => each.fields.test(field)))).toEqual([])
  }
  expect(hostileTexts).toHaveLength(40)
})

/** The pages, with the fields that each shows as they were written, and those whose Markdown it shows. */
const pages: readonly (readonly [hash: string, exact: readonly string[]])[] = [
  ['#/inbox', ['POST /v2/tasks/{task_id}/approvals summary', 'POST /v2/tasks/{task_id}/approvals action']],
  ['#/agents', ['PATCH /v2/agents/{agent_id} name']],
  ['#/analytics', ['PATCH /v2/agents/{agent_id} name', 'POST /v2/tasks/{task_id}/usage model']],
  ['#/chat', ['POST /v2/chat message']],
  ['#/audit', ['POST /v2/account/usage/corrections reason', 'PATCH /v2/workspaces/{workspace_id} name']],
  ['#/settings/keys', ['POST /v2/account/api-keys name']],
  ['#/settings/webhooks', []],
  ['#/settings/channels', ['PATCH /v2/notification-channels/{channel_id} name']],
  ['#/settings/schedules', ['PATCH /v2/schedules/{schedule_id} task.title']],
  ['#/settings/workspaces', ['PATCH /v2/workspaces/{workspace_id} name']],
]

it.each([
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1280 },
] as const)(
  'are shown as texts, at $width pixels in the $colorScheme scheme',
  async ({ colorScheme, width }) => {
    const { page } = app
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    await app.logIn()
    await page.evaluate(keepConversation(app.workspaceId))
    await assertBoard(page)
    for (const [hash, fields] of pages) {
      await app.go(hash)
      await page.getByRole('main').getByText('h40').first().waitFor()
      await assertHarmless(page, hash)
      const shown = squeezed(await page.evaluate<string>('document.body.textContent'))
      for (const field of fields) {
        const missing = writer.acceptedIn(field).filter((text) => !shown.includes(squeezed(text)))
        expect({ hash, field, missing }).toEqual({ hash, field, missing: [] })
      }
    }
  },
)

it('are shown as texts in the panels of tasks and of agents, on a phone', async () => {
  const { page } = app
  await page.setViewportSize({ width: 360, height: 800 })
  await app.logIn()
  for (const [index, { marker }] of hostileTexts.entries()) {
    await app.go(`#/tasks/${attacked.taskIds[index]}`)
    const task = page.getByRole('dialog', { name: marker })
    await task.getByText('Comments').first().waitFor()
    await task.locator('.task-result').getByText(marker).last().waitFor()
    await task.getByRole('listitem').filter({ hasText: marker }).nth(3).waitFor()
    await assertHarmless(page, `the task of ${marker}`)
    await assertShown(page, index, taskFields)
  }
  for (const [index, { marker }] of hostileTexts.entries()) {
    await app.go(`#/agents/${attacked.agentIds[index]}`)
    const agent = page.getByRole('dialog', { name: marker })
    await agent.getByText('System prompt').click()
    await assertHarmless(page, `the agent of ${marker}`)
    await assertShown(page, index, agentFields)
  }
})

const taskFields = ['title', 'tags[]', 'metadata.*']
  .map((field) => `POST /v2/tasks ${field}`)
  .concat(
    'POST /v2/tasks/{task_id}/logs message',
    'POST /v2/tasks/{task_id}/outputs name',
    'POST /v2/tasks/{task_id}/outputs type',
    'POST /v2/tasks/{task_id}/usage model',
  )
const agentFields = agentTexts.map((field) => `PATCH /v2/agents/{agent_id} ${field}`)

async function assertShown(page: Page, index: number, fields: readonly string[]): Promise<void> {
  const marker = hostileTexts[index]?.marker ?? ''
  const shown = squeezed(await page.evaluate<string>('document.querySelector("dialog[open]").textContent'))
  for (const field of fields) {
    const texts = writer.acceptedIn(field).filter((text) => text.endsWith(marker))
    expect.soft({ marker, field, missing: texts.filter((text) => !shown.includes(squeezed(text))) }).toEqual({
      marker,
      field,
      missing: [],
    })
  }
}

/** Without white space, which a page may show in another way. */
const squeezed = (text: string): string => text.replaceAll(/\s+/gu, '')

/** The columns draw the cards near the screen alone. */
const MOST_SCREENS = 60

async function assertBoard(page: Page): Promise<void> {
  const missing = new Set(writer.acceptedIn('PATCH /v2/tasks/{task_id} title').map(squeezed))
  const column = page.locator('[data-column=todo]')
  await column.locator('[data-card]').first().waitFor()
  for (let screens = 0; screens < MOST_SCREENS && missing.size > 0; screens++) {
    for (const title of await column.locator('[data-card]').allTextContents()) missing.delete(squeezed(title))
    await assertHarmless(page, 'the board')
    await column
      .locator('.column-scroll')
      .evaluate((box) => box.scrollBy({ top: box.clientHeight, behavior: 'instant' }))
  }
  expect([...missing]).toEqual([])
}

/** Nothing but what the application makes is in the page, and nothing is wider than the screen. The stage looks for what was executed. */
async function assertHarmless(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(`(() => {
    const forbidden = 'script, img, iframe, object, embed, style, link, base, meta, video, audio, frame, applet, template'
    const elements = [...document.body.querySelectorAll('*')]
    const boxes = [document.documentElement, content, ...document.querySelectorAll('dialog[open]')]
    const isWide = (box) => box !== null && box.scrollWidth > box.clientWidth
    return {
      elements: elements.filter((each) => each.matches(forbidden) || each.getAttributeNames().some((name) => name.startsWith('on') || name === 'srcdoc')).map(({ outerHTML }) => outerHTML.slice(0, 200)),
      links: elements.flatMap((each) => each.getAttribute('href') ?? each.getAttribute('src') ?? each.getAttribute('action') ?? []).filter((address) => !/^(?:#|https?:|mailto:)/.test(address)),
      title: document.title.replace(/^\\(\\d+\\+?\\) /, ''),
      polluted: Object.keys(Object.prototype),
      wide: boxes.filter(isWide).flatMap((box) => [...box.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().right > innerWidth)).map(({ tagName, className, textContent }) => tagName + '.' + className + ' ' + textContent.slice(0, 40)),
    }
  })()`)
  expect.soft({ where, found }).toEqual({
    where,
    found: { elements: [], links: [], title: 'Taskboard', polluted: [], wide: [] },
  })
}

/** What the page of the chat keeps of a conversation in which each text was sent. */
function keepConversation(workspaceId: string): string {
  const said = attacked.replies.flatMap(({ message, reply }, index) => [
    { id: `you-${index}`, by: 'you', body: message, at: new Date().toISOString() },
    { id: `agent-${index}`, by: 'agent', body: reply, at: new Date().toISOString() },
  ])
  return `sessionStorage.setItem('taskboard.chat.${workspaceId}', ${JSON.stringify(JSON.stringify(said))})`
}
