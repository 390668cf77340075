// Takes pictures of the dashboard, of a sample board:
//   node packages/dashboard/scripts/screenshots.mjs --out docs/images --pages board,task --widths 360,1440 --schemes light,dark
// `--pages all` takes them all; `--full` takes whole pages, not only what is in the window; `--no-build` uses the application as it was built.
import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const self = fileURLToPath(import.meta.url)
const loader = ['--conditions=@taskboard/source', '--import', 'tsx']
const HEIGHTS = { 360: 740, 390: 844, 768: 1024, 1440: 900, 1920: 1080, 2560: 1440, 3840: 2160 }
/** How long a page may take; a picture is taken as soon as it is quiet. */
const QUIET_MS = 15_000

/** Every page: where it is, and what to do there before the picture. */
const pages = {
  login: { hash: '', isLoggedOut: true },
  board: { hash: '#/board' },
  'new-task': { hash: '#/board', keys: ['n'] },
  'move-menu': { hash: '#/board', keys: ['ArrowDown', 'm'] },
  help: { hash: '#/board', keys: ['?'] },
  search: { hash: '#/board', keys: ['/'] },
  task: { hash: '#/tasks/{task}' },
  inbox: { hash: '#/inbox' },
  agents: { hash: '#/agents' },
  chat: { hash: '#/chat' },
  analytics: { hash: '#/analytics' },
  settings: { hash: '#/settings' },
  'settings-keys': { hash: '#/settings/keys' },
  'settings-webhooks': { hash: '#/settings/webhooks' },
  'settings-channels': { hash: '#/settings/channels' },
  'settings-schedules': { hash: '#/settings/schedules' },
  'settings-members': { hash: '#/settings/members' },
  'settings-security': { hash: '#/settings/security' },
  'settings-usage': { hash: '#/settings/usage' },
}

async function takeAll({ out, pages: names, widths, schemes, full, build }) {
  const { buildApp } = await import('./build-app.mjs')
  if (build) await buildApp()
  const { openSampleBoard, owner } = await import('./sample-board.mjs')
  const { launchBrowser } = await import('./launch-browser.mjs')
  const { hosts } = await import('../test/hosts.js')
  const { taskboardDashboard } = await import('../src/index.js')
  await mkdir(out, { recursive: true })
  const sample = await openSampleBoard()
  const dashboard = taskboardDashboard(sample.taskboard)
  const host = await hosts[0].serve(sample.taskboard, { mountPath: '', routes: [dashboard] })
  const browser = await launchBrowser()
  try {
    for (const scheme of schemes) {
      for (const width of widths) {
        const session = await openSession(browser, { sample, dashboard, host, owner, scheme, width })
        for (const name of names) {
          const path = join(out, `${name}-${width}-${scheme}.png`)
          await take(session, { ...pages[name], path, full })
          console.log(path)
        }
        await session.context.close()
      }
    }
  } finally {
    await browser.close()
    await host.close()
    await sample.close()
  }
}

async function openSession(browser, { sample, dashboard, host, owner, scheme, width }) {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] ?? Math.round(width * 0.5625) },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  const page = await context.newPage()
  for (const kind of ['pageerror', 'console']) {
    page.on(kind, (said) => {
      if (kind === 'pageerror' || said.type() === 'error')
        console.error(`in the browser: ${said.stack ?? said.text()}`)
    })
  }
  await page.clock.setFixedTime(sample.now())
  const link = () => dashboard.createLoginLink({ email: owner.email, baseUrl: host.url })
  return { context, page, link, url: `${host.url}/dashboard/`, taskId: sample.taskId, isLoggedIn: false }
}

async function take(session, { hash, keys = [], isLoggedOut = false, path, full }) {
  const { page } = session
  if (isLoggedOut) {
    const logged = session.page
    session.page = await session.context.browser().newPage(await optionsOf(logged))
    await session.page.goto(session.url)
    await picture(session.page, path, full)
    await session.page.close()
    session.page = logged
    return
  }
  if (!session.isLoggedIn) await page.goto(await session.link())
  session.isLoggedIn = true
  await page.waitForFunction("!location.hash.includes('login')", undefined, { timeout: QUIET_MS })
  await settled(page)
  await page.goto(session.url + hash.replace('{task}', session.taskId))
  await page.reload()
  await settled(page)
  for (const key of keys) {
    await page.keyboard.press(key)
    await settled(page)
  }
  await picture(page, path, full)
}

async function optionsOf(page) {
  const colorScheme = (await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"))
    ? 'dark'
    : 'light'
  return { viewport: page.viewportSize(), colorScheme, reducedMotion: 'reduce', locale: 'en-GB' }
}

async function picture(page, path, fullPage) {
  await settled(page)
  await page.screenshot({ path, fullPage, animations: 'disabled' })
}

/** Until no request is in progress, and what came with the last one is drawn. */
async function settled(page) {
  await page.waitForLoadState('networkidle', { timeout: QUIET_MS })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'docs/images' },
      pages: { type: 'string', default: 'board' },
      widths: { type: 'string', default: '1440' },
      schemes: { type: 'string', default: 'light' },
      full: { type: 'boolean', default: false },
      'no-build': { type: 'boolean', default: false },
    },
  })
  const named = values.pages === 'all' ? Object.keys(pages) : values.pages.split(',')
  const unknown = named.filter((name) => !Object.hasOwn(pages, name))
  if (unknown.length > 0)
    throw new Error(`no page ${unknown.join(', ')}; there are ${Object.keys(pages).join(', ')}`)
  return {
    out: values.out,
    pages: named,
    widths: values.widths.split(',').map(Number),
    schemes: values.schemes.split(','),
    full: values.full,
    build: !values['no-build'],
  }
}

// The packages are used from their sources, which takes a loader.
if (process.execArgv.includes('tsx')) await takeAll(readArguments())
else {
  const child = spawn(process.execPath, [...loader, self, ...process.argv.slice(2)], { stdio: 'inherit' })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
