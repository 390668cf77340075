import { beforeEach, expect, it } from 'vitest'
import { followLink } from '@taskboard/kit/browser/follow-link'
import { oneTimePassword } from '@taskboard/kit/access/one-time-password'
import { type OpenedApp, useStage } from '../opened-app.js'
import { MEMBER } from '../served-board.js'

const stage = useStage({ host: 'fetch handler', storage: 'memory', mountPath: '/kanban', login: 'taskboard' })
let app: OpenedApp
beforeEach(async () => {
  app = await stage.open({ login: 'taskboard', isLoggedIn: false })
})

const main = () => app.page.getByRole('navigation', { name: 'Main' })
const alertText = async () => (await app.page.getByRole('alert').allInnerTexts()).join(' ')

async function logInWith(password: string): Promise<void> {
  await app.page.getByLabel('Email').fill(app.owner.email)
  await app.page.getByLabel('Password').fill(password)
  await app.page.keyboard.press('Enter')
}

it('refuses a wrong password with a sentence, keeps what was typed, and takes the right one', async () => {
  const { page } = app
  await app.go('')
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('email')
  await logInWith('a wrong password')
  await page.getByRole('alert').waitFor()
  expect(await alertText()).toMatch(/^The email address or the password is wrong\. Request req_/)
  expect(await page.getByLabel('Email').inputValue()).toBe(app.owner.email)
  expect(await app.violations()).toEqual([])
  await logInWith(app.owner.password)
  await main().waitFor()
})

it('asks for the code of a second factor, and takes a recovery code once', async () => {
  const { page } = app
  await app.logIn()
  await app.go('#/settings/security')
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByRole('img', { name: /^QR code/ }).waitFor()
  const secret = await page.locator('.secret code').innerText()
  await page.getByLabel('Code from the app').fill('000000')
  await page.keyboard.press('Enter')
  await page.getByText('The code is wrong or was already used.').waitFor()
  await page.getByLabel('Code from the app').fill(oneTimePassword(secret))
  await page.keyboard.press('Enter')
  const codes = page.getByRole('listitem').locator('code')
  await codes.first().waitFor()
  expect(await codes.count()).toBe(10)
  const recovery = await codes.first().innerText()

  for (const expected of ['navigation', 'refusal'] as const) {
    await page.getByRole('button', { name: 'Log out' }).click()
    await logInWith(app.owner.password)
    const code = page.getByLabel('Code')
    await code.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.autocomplete')).toBe('one-time-code')
    await code.fill(recovery)
    await page.keyboard.press('Enter')
    if (expected === 'navigation') await main().waitFor()
    else await page.getByText('The code is wrong or was already used.').waitFor()
  }
})

it('says for how long the address is locked after too many tries', async () => {
  const { page } = app
  await app.go('')
  await page.getByLabel('Email').fill('nobody@example.com')
  await page.getByLabel('Password').fill('guess')
  const submit = page.getByRole('button', { name: 'Log in' })
  const locked = page.getByText(/^Too many attempts\. Try again in 1[45](\.\d)? min\./)
  // A click while the answer to the one before is on its way sends nothing.
  const tryAgain = async (): Promise<boolean> => {
    if (await locked.isVisible()) return true
    await submit.click()
    return false
  }
  await expect.poll(tryAgain, { timeout: 40_000, interval: 10 }).toBe(true)
})

it('shows the form with a clear sentence for a link that was used, and removes its code from the address', async () => {
  const { page, dashboard, url } = app
  const link = await dashboard.createLoginLink({ email: app.owner.email, baseUrl: url })
  await followLink(page, link)
  expect(page.url()).toMatch(/#\/board$/)
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('Email').waitFor()
  for (const used of [link, `${url}/dashboard/#login=never-was`]) {
    await page.goto('about:blank')
    await page.goto(used)
    if (used === link) await page.getByRole('region').getByRole('button', { name: 'Log in' }).click()
    await page.getByText('The login link was used before, or has expired; ask for a new one.').waitFor()
    expect(page.url()).not.toContain('login=')
    await page.getByLabel('Email').waitFor()
  }
  await logInWith(app.owner.password)
  await main().waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('Email').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

it('changes the password, after which all sessions are over', async () => {
  const { page } = app
  await app.logIn()
  await app.go('#/settings/security')
  await page.getByLabel('Current password').fill('not the password')
  await page.getByLabel('New password', { exact: true }).fill('another long password')
  await page.getByLabel('Confirm new password').fill('another')
  await page.keyboard.press('Enter')
  await page.getByText('The two new passwords differ.').waitFor()
  await page.getByLabel('Confirm new password').fill('another long password')
  await page.keyboard.press('Enter')
  await page.getByText('The current password is wrong').waitFor()
  await page.getByLabel('Current password').fill(app.owner.password)
  await page.keyboard.press('Enter')
  await page.getByLabel('Email').waitFor()
  await logInWith(app.owner.password)
  await page.getByRole('alert').waitFor()
  expect(await alertText()).toContain('is wrong')
  await logInWith('another long password')
  await main().waitFor()
})

it('sends strangers to the login of the host, and takes its session', async () => {
  const hosted = await stage.open({
    login: 'host',
    isLoggedIn: false,
    dashboard: { loginUrl: `${stage.setting.mountPath}/dashboard/?logged-in-by-the-host` },
  })
  const { page, url } = hosted
  await hosted.go('')
  await page.getByText('You are not logged in.').waitFor()
  expect(await page.getByLabel('Password').count()).toBe(0)
  expect(await hosted.violations()).toEqual([])
  await page.context().addCookies([{ name: 'member', value: MEMBER, url }])
  await page.getByRole('link', { name: 'Go to login' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(0)
  await hosted.go('#/settings')
  const sections = page.getByRole('navigation', { name: 'Sections of the settings' })
  await sections.waitFor()
  expect(await sections.getByRole('link').allInnerTexts()).not.toContain('Your login')
})
