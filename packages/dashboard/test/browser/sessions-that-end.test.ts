import { followLink } from '@taskboard/kit/browser/follow-link'
import { scopes, type Scope } from '@taskboard/core'
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, type OpenOptions, useStage } from '../opened-app.js'

const stage = useStage({ host: 'Express', storage: 'memory', mountPath: '/kanban', login: 'taskboard' })

/** These are about Taskboard's login, but for those that have another one. */
const open = (options: OpenOptions = {}): Promise<OpenedApp> =>
  stage.open({ login: 'taskboard', isLoggedIn: false, ...options })

const assertShown = (locator: Locator): Promise<void> => locator.waitFor()

async function otherTab({ page, url }: OpenedApp) {
  const other = await page.context().newPage()
  await other.goto(`${url}/dashboard/`)
  await assertShown(other.getByRole('navigation', { name: 'Main' }))
  return other
}

/** The owner of another account, and its password. */
async function addEve({ taskboard }: OpenedApp) {
  const owner = { email: 'eve@example.com', password: 'another long password' }
  await taskboard.accounts.create({
    name: 'Eve',
    tier: 'professional',
    owner,
    workspaceName: 'Place of Eve',
  })
  return owner
}

describe('two tabs of a browser', () => {
  it('log out together', async () => {
    const app = await open()
    await app.logIn()
    const other = await otherTab(app)
    await other.getByRole('button', { name: 'Log out' }).click()
    await assertShown(app.page.getByRole('button', { name: 'Log in' }))
    await app.page.reload()
    await assertShown(app.page.getByRole('button', { name: 'Log in' }))
  })

  it('show one user: what the user before has read and typed is gone', async () => {
    const app = await open()
    const { dashboard, page, url, board } = app
    const task = await board.add({ title: 'Ours' })
    await app.logIn()
    await app.go(`#/tasks/${task.id}`)
    await page.getByLabel('Write a comment').fill('typed by Ada')
    await page.evaluate(
      "sessionStorage.setItem('taskboard.chat.x', '[]'); sessionStorage.setItem('theirs', '1')",
    )
    const owner = await addEve(app)

    const other = await otherTab(app)
    await other.getByRole('button', { name: 'Log out' }).click()
    await assertShown(other.getByLabel('Email'))
    await assertShown(page.getByLabel('Email'))
    await followLink(other, await dashboard.createLoginLink({ email: owner.email, baseUrl: url }))
    await assertShown(other.getByText('Place of Eve').first())

    await assertShown(page.getByText('Place of Eve').first())
    await assertShown(page.getByText("This task doesn't exist"))
    expect(await page.evaluate('Object.keys(sessionStorage).sort()')).toEqual(['taskboard.user', 'theirs'])
    expect(await page.getByText('Ours').count()).toBe(0)
  })

  it('change the user together, though the session of the first one still lives', async () => {
    const app = await open()
    const { dashboard, page, url } = app
    const owner = await addEve(app)
    await app.logIn()
    const other = await otherTab(app)
    // As after a log-out whose message was lost: the other tab logs somebody else in.
    await other.evaluate("localStorage.removeItem('taskboard.session')")
    await assertShown(page.getByLabel('Email'))
    await other.context().clearCookies()
    await other.goto('about:blank')
    await followLink(other, await dashboard.createLoginLink({ email: owner.email, baseUrl: url }))
    await assertShown(other.getByText('Place of Eve').first())
    // The page may be loading again by itself, which ends this.
    await page.reload().catch(() => page.reload())
    await assertShown(page.getByText('Place of Eve').first())
  })
})

describe('a reload', () => {
  it('while the session is being refreshed keeps it', async () => {
    const app = await open()
    const { page } = app
    await app.logIn()
    let left = 6
    page.on('request', (request) => {
      if (request.url().endsWith('/session/refresh') && left-- > 0)
        void page.evaluate('location.reload()').catch(() => null)
    })
    await page.reload()
    await expect.poll(() => left).toBeLessThan(0)
    await assertShown(page.getByRole('region', { name: 'Board' }))
  })
})

describe('a login link', () => {
  it('is not lost when the server does not answer at first', async () => {
    const app = await open()
    const { page } = app
    for (const path of ['**/session/code/show', '**/session/code'])
      await page.route(path, (route) => route.abort(), { times: 1 })
    await page.goto(await app.link())
    await assertShown(page.getByText('The server is unreachable'))
    expect(page.url()).not.toContain('login=')
    await page.getByRole('button', { name: 'Try again' }).click()
    const question = page.getByRole('region', { name: /^Log in as / })
    const accept = question.getByRole('button', { name: 'Log in' })
    await accept.click()
    await assertShown(question.getByText('The server is unreachable'))
    await accept.click()
    await assertShown(page.getByRole('region', { name: 'Board' }))
  })

  it('shows the request with its refusal', async () => {
    const app = await open()
    await app.page.goto(`${app.url}/dashboard/#login=used`)
    await assertShown(app.page.getByText(/The login link was used before.*Request /))
    await assertShown(app.page.getByLabel('Email'))
  })

  it('can be pasted into the page of the login, and leaves the address in each page', async () => {
    const app = await open()
    const { page } = app
    await app.go('')
    await assertShown(page.getByLabel('Email'))
    await followLink(page, await app.link())
    await assertShown(page.getByRole('region', { name: 'Board' }))
    await page.goto(await app.link())
    await expect.poll(() => page.url()).toBe(`${app.url}/dashboard/#/board`)
  })
})

describe('rights that change while the page is open', () => {
  interface Right {
    isIn: boolean
    scopes: readonly Scope[]
  }

  async function openWith(right: Right): Promise<OpenedApp> {
    const ids = { account: '', workspace: '' }
    const app = await open({
      login: 'host',
      dashboard: { loginUrl: '/login' },
      taskboard: {
        authenticate: () =>
          right.isIn
            ? {
                id: 'member:ada',
                kind: 'user' as const,
                accountId: ids.account,
                tier: 'professional' as const,
                scopes: right.scopes,
                workspaceIds: 'all' as const,
                defaultWorkspaceId: ids.workspace,
              }
            : null,
      },
    })
    ids.account = app.accountId
    ids.workspace = app.workspaceId
    await app.board.add({ title: 'Ours' })
    await app.go('')
    await assertShown(app.page.getByText('Ours'))
    return app
  }

  it('leads to the login once the session of the host has ended', async () => {
    const right: Right = { isIn: true, scopes }
    const app = await openWith(right)
    right.isIn = false
    await app.go('#/agents')
    await assertShown(app.page.getByRole('link', { name: 'Go to login' }))
  })

  it('no longer offers what is no longer allowed', async () => {
    const right: Right = { isIn: true, scopes }
    const app = await openWith(right)
    await app.page.getByRole('button', { name: 'New task' }).click()
    await app.page.getByLabel('Title').fill('Not allowed')
    right.scopes = ['tasks:read', 'account:read']
    await app.page.getByRole('button', { name: 'Add task' }).click()
    await assertShown(app.page.getByText("You don't have permission"))
    await app.page.keyboard.press('Escape')
    await app.page.getByRole('button', { name: 'New task' }).waitFor({ state: 'detached' })
    const links = app.page.getByRole('navigation', { name: 'Main' }).getByRole('listitem')
    await expect.poll(() => links.allInnerTexts()).toEqual(['Board', 'Inbox', 'Settings'])
    await app.page.keyboard.press('?')
    await assertShown(app.page.getByText('Go to Board, Inbox, Settings'))
  })

  it('shows another workspace when the one that is shown was deleted', async () => {
    const app = await open()
    const { page, taskboard, accountId } = app
    const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
    await taskboard.board(second.id).add({ title: 'In the second' })
    await app.board.add({ title: 'In the first' })
    await app.logIn()
    await page.locator('.workspace select').selectOption('Second')
    await assertShown(page.getByText('In the second'))
    await assertShown(page.getByText('Live', { exact: true }))
    await taskboard.accounts.deleteWorkspace(second.id)
    await app.go('#/agents')
    await assertShown(page.getByText('You no longer have access to the workspace Second'))
    await app.go('#/board')
    await assertShown(page.getByText('In the first'))
    await assertShown(page.getByText('Live', { exact: true }))
  })
})

describe('a browser', () => {
  it('that keeps nothing shows the board all the same', async () => {
    const app = await open()
    await app.page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(globalThis, name, {
          get() {
            throw new DOMException('denied', 'SecurityError')
          },
        })
      }
    })
    await app.logIn()
    await assertShown(app.page.getByRole('region', { name: 'Board' }))
  })

  it('whose clock is a day ahead shows the ages of the server', async () => {
    const app = await open()
    const { id } = await app.board.add({ title: 'New', dueDate: new Date(Date.now() + 3_600_000) })
    await app.page.addInitScript('const real = Date.now; Date.now = () => real() + 86_400_000')
    await app.logIn()
    await assertShown(app.page.getByText(/in 1 h/))
    expect(await app.page.getByText('Overdue').count()).toBe(0)
    await app.go(`#/tasks/${id}`)
    await assertShown(app.page.getByRole('dialog').getByText('now', { exact: true }).first())
  })
})

describe('a dialog', () => {
  it('stays open when a text is selected beyond its edge, and sends a form once', async () => {
    const app = await open()
    const { page } = app
    await app.logIn()
    await page.getByRole('button', { name: 'New task' }).click()
    const title = page.getByLabel('Title')
    await title.fill('Select me')
    const box = await title.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
    await page.mouse.down()
    await page.mouse.move(3, 3)
    await page.mouse.up()
    expect(await title.inputValue()).toBe('Select me')
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())))
    await page.evaluate(`{
      const form = document.querySelector('dialog form')
      form.requestSubmit()
      form.requestSubmit()
    }`)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(sent.filter((url) => url.endsWith('/tasks'))).toHaveLength(1)
    await page.getByRole('button', { name: 'New task' }).click()
    await assertShown(page.getByRole('dialog'))
    await page.mouse.click(3, 3)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})
