// Takes pictures of the dashboard, in the demo that `npm start` runs, on a sample board. Without options: those of README and docs. Others:
//   npm run screenshots -- --out /tmp/pictures --pages board,task --widths 360,1440 --schemes light,dark
// `--pages all` takes them all; `--full` takes whole pages, not only what is in the window; `--no-build` uses the application as it was built.
import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const self = fileURLToPath(import.meta.url)
const sources = new URL('../../../scripts/sources.mjs', import.meta.url).href
const loader = ['--conditions=@taskboard/source', '--import', sources]
const HEIGHTS = { 360: 740, 390: 844, 768: 1024, 1440: 900, 1920: 1080, 2560: 1440, 3840: 2160 }
/** How long a page may take; a picture is taken as soon as it is quiet. */
const QUIET_MS = 15_000

/** Every page: where it is, and what to do there before the picture. The application says which pages there are. */
async function listPages() {
  const { pages } = await import('../app/pages.ts')
  const { settingsText } = await import('../app/texts/settings.ts')
  return {
    login: { hash: '', isLoggedOut: true },
    ...Object.fromEntries(Object.keys(pages).map((name) => [name, { hash: `#/${name}` }])),
    ...Object.fromEntries(
      Object.keys(settingsText.tabs).map((tab) => [`settings-${tab}`, { hash: `#/settings/${tab}` }]),
    ),
    'new-task': { hash: '#/board', keys: ['n'] },
    'move-menu': { hash: '#/board', keys: ['ArrowDown', 'm'] },
    help: { hash: '#/board', keys: ['?'] },
    search: { hash: '#/board', keys: ['/'] },
    task: { hash: '#/tasks/{task}' },
  }
}

/** The pictures of README and docs. */
const shown = [
  { name: 'board', width: 1440, scheme: 'light' },
  { name: 'task', width: 1440, scheme: 'light' },
  { name: 'inbox', width: 1440, scheme: 'dark' },
  { name: 'analytics', width: 1440, scheme: 'dark' },
]

async function takeAll({ out, pictures, full, build }, pages) {
  const { buildApp } = await import('./build-app.mjs')
  if (build) await buildApp()
  const { startSampleDemo } = await import('./sample-demo.mjs')
  const { launchBrowser } = await import('@taskboard/kit/browser/launch-browser')
  await mkdir(out, { recursive: true })
  const demo = await startSampleDemo()
  const browser = await launchBrowser()
  try {
    let storageState = await logIn(browser, demo)
    for (const [window, names] of byWindow(pictures)) {
      const session = await openSession(browser, { ...JSON.parse(window), storageState, demo })
      for (const name of names) {
        const { width, scheme } = JSON.parse(window)
        const path = join(out, `${name}-${width}-${scheme}.png`)
        await take(session, { ...pages[name], path, full })
        console.log(path)
      }
      // The session's token is valid once, so the next window goes on with the last one.
      storageState = await session.context.storageState()
      await session.context.close()
    }
  } finally {
    await browser.close()
    await demo.close()
  }
}

function byWindow(pictures) {
  const windows = new Map()
  for (const { name, width, scheme } of pictures) {
    const key = JSON.stringify({ width, scheme })
    windows.set(key, [...(windows.get(key) ?? []), name])
  }
  return windows
}

/** By the link that the demo has printed. */
async function logIn(browser, demo) {
  const { followLink } = await import('@taskboard/kit/browser/follow-link')
  const context = await browser.newContext()
  const page = await context.newPage()
  await followLink(page, demo.link)
  await page.getByRole('region', { name: 'Board' }).waitFor({ timeout: QUIET_MS })
  const state = await context.storageState()
  await context.close()
  return state
}

const looksOf = ({ width, scheme }) => ({
  viewport: { width, height: HEIGHTS[width] ?? Math.round(width * 0.5625) },
  colorScheme: scheme,
  reducedMotion: 'reduce',
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
})

async function openSession(browser, { demo, storageState, ...window }) {
  const context = await browser.newContext({ ...looksOf(window), storageState })
  const page = await context.newPage()
  for (const kind of ['pageerror', 'console']) {
    page.on(kind, (said) => {
      if (kind === 'pageerror' || said.type() === 'error')
        console.error(`in the browser: ${said.stack ?? said.text()}`)
    })
  }
  const url = `${demo.url}/dashboard/`
  await page.goto(url)
  // A load that is cut off can lose the next token of the session.
  await settled(page)
  return { browser, window, context, page, url, taskId: demo.taskId }
}

async function take({ browser, window, page, url, taskId }, { hash, keys = [], isLoggedOut, path, full }) {
  if (isLoggedOut) {
    const stranger = await browser.newPage(looksOf(window))
    await stranger.goto(url)
    await picture(stranger, path, full)
    return stranger.close()
  }
  await page.goto(url + hash.replace('{task}', taskId))
  await page.reload()
  await settled(page)
  for (const key of keys) {
    await page.keyboard.press(key)
    await settled(page)
  }
  await picture(page, path, full)
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

function readArguments(pages) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'docs/images' },
      pages: { type: 'string' },
      widths: { type: 'string', default: '1440' },
      schemes: { type: 'string', default: 'light' },
      full: { type: 'boolean', default: false },
      'no-build': { type: 'boolean', default: false },
    },
  })
  const { out, full, 'no-build': isBuilt } = values
  return { out, pictures: picturesOf(values, pages), full, build: !isBuilt }
}

function picturesOf({ pages: wanted, widths, schemes }, pages) {
  if (wanted === undefined) return shown
  const names = wanted === 'all' ? Object.keys(pages) : wanted.split(',')
  const unknown = names.filter((name) => !Object.hasOwn(pages, name))
  if (unknown.length > 0)
    throw new Error(`no page ${unknown.join(', ')}; there are ${Object.keys(pages).join(', ')}`)
  return schemes
    .split(',')
    .flatMap((scheme) =>
      widths.split(',').flatMap((width) => names.map((name) => ({ name, width: Number(width), scheme }))),
    )
}

// The packages are used from their sources, which takes a loader.
if (process.execArgv.includes(sources)) {
  const pages = await listPages()
  await takeAll(readArguments(pages), pages)
} else {
  const child = spawn(process.execPath, [...loader, self, ...process.argv.slice(2)], { stdio: 'inherit' })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
