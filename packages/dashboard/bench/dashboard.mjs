// Measures the dashboard in a real browser: `npm run bench:dashboard`.
// - The first load with an empty cache: the time from the navigation to the first card, requests, and bytes.
// - Scrolling through all tasks of a column: the time between frames.
// `--url … --selector … --column <name>` measures the first load of another page, such as another dashboard, in the same way.
// `--record` keeps the figures for the docs, see scripts/bench-figures.mjs.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { figureCollector } from '../../../scripts/bench-figures.mjs'

const self = fileURLToPath(import.meta.url)
const loader = ['--conditions=@taskboard/source', '--import', 'tsx']
const RUNS = 5
const SIZES = [100, 10_000]
const BATCH = 500
const WINDOW = { width: 1440, height: 900 }
const CARD = '[data-task] [data-card]'
const LIMIT_MS = 60_000
const TARGET_FRAME_MS = 50

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`

async function measureOwn(browser, figures) {
  const { buildApp } = await import('../scripts/build-app.mjs')
  const manifest = await buildApp()
  const first = [manifest.script, ...manifest.styles, ...manifest.preloaded].map(
    (name) => manifest.sizes[name],
  )
  const sum = (form) => first.reduce((total, sizes) => total + sizes[form], 0)
  console.log(
    `script and style to the first board: ${kilobytes(sum('gzip'))} with gzip, ${kilobytes(sum('brotli'))} with brotli`,
  )
  for (const size of SIZES) {
    const board = await openBoard(size)
    try {
      await measureFirstLoads(browser, figures, { size, column: 'Taskboard', ...board, selector: CARD })
      if (size === SIZES.at(-1)) await measureScrolling(browser, figures, board)
    } finally {
      await board.close()
    }
  }
}

async function openBoard(size) {
  const { createTaskboard } = await import('@taskboard/core')
  const { memoryStorage } = await import('@taskboard/memory')
  const { taskboardDashboard } = await import('../src/index.js')
  const { hosts } = await import('../test/hosts.js')
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    logger: false,
    tokens: { secret: 'only for this benchmark, which is gone soon' },
  })
  await taskboard.start()
  const dashboard = taskboardDashboard(taskboard)
  const host = await hosts[0].serve(taskboard, { mountPath: '', routes: [dashboard] })
  const owner = { email: 'ada@example.com', password: 'correct horse battery staple' }
  const { workspace } = await taskboard.accounts.create({ name: 'Bench', tier: 'custom', owner })
  const board = taskboard.board(workspace.id)
  for (let begin = 0; begin < size; begin += BATCH) {
    const count = Math.min(BATCH, size - begin)
    await board.addAll(Array.from({ length: count }, (_, index) => taskOf(begin + index)))
  }
  return {
    page: `${host.url}/dashboard/`,
    link: () => dashboard.createLoginLink({ email: owner.email, baseUrl: host.url }),
    async close() {
      await host.close()
      await taskboard.close()
    },
  }
}

function taskOf(index) {
  return {
    title: `Task ${index} of the board, with a title that some cards need two lines for`.slice(
      0,
      30 + (index % 50),
    ),
    priority: ['urgent', 'high', 'medium', 'low'][index % 4],
    tags: ['docs', 'launch', 'billing'].slice(0, index % 4),
  }
}

async function measureFirstLoads(browser, figures, { size, column, page: url, link, selector }) {
  const context = await browser.newContext({ viewport: WINDOW })
  if (link !== undefined) {
    const { followLink } = await import('@taskboard/kit/browser/follow-link')
    const login = await context.newPage()
    await followLink(login, await link())
    await login.waitForSelector(selector, { timeout: LIMIT_MS })
    await login.close()
  }
  const loads = []
  for (let run = 0; run < RUNS; run++) loads.push(await firstLoad(context, url, selector))
  await context.close()
  const [{ requests, bytes, code }] = loads
  const times = loads.map(({ ms }) => Math.round(ms))
  const record = (what, value, unit) => figures.add(column, { what: `${what}, ${size} tasks`, value, unit })
  record('first content', median(times), 'ms')
  record('script and style', code / 1_000, 'kB')
  record('all that is sent', bytes / 1_000, 'kB')
  record('requests', requests, '')
  console.log(
    `${column}, ${size} tasks: first content after ${median(times)} ms (${times.join(', ')}); ${requests} requests, ${kilobytes(bytes)} in all, ${kilobytes(code)} of script and style`,
  )
}

async function firstLoad(context, url, selector) {
  const page = await context.newPage()
  const protocol = await context.newCDPSession(page)
  await protocol.send('Network.enable')
  await protocol.send('Network.setCacheDisabled', { cacheDisabled: true })
  const kinds = new Map()
  const load = { requests: 0, bytes: 0, code: 0 }
  protocol.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
  protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    load.requests++
    load.bytes += encodedDataLength
    if (['Script', 'Stylesheet'].includes(kinds.get(requestId))) load.code += encodedDataLength
  })
  const startedMs = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForSelector(selector, { timeout: LIMIT_MS })
  const ms = performance.now() - startedMs
  await page.waitForLoadState('networkidle')
  await page.close()
  return { ...load, ms }
}

/** Scrolls the first column to its end, as far in each frame as a fast wheel does, while pages of the list arrive. */
async function measureScrolling(browser, figures, { link }) {
  const { followLink } = await import('@taskboard/kit/browser/follow-link')
  const context = await browser.newContext({ viewport: WINDOW })
  const page = await context.newPage()
  await followLink(page, await link())
  await page.waitForSelector(CARD, { timeout: LIMIT_MS })
  const frames = await page.evaluate(scrollThrough, '[data-column=todo] .column-scroll')
  const worst = Math.max(...frames.deltas)
  const late = frames.deltas.filter((delta) => delta > TARGET_FRAME_MS).length
  figures.add('Taskboard', { what: 'longest frame', value: worst, unit: 'ms' })
  figures.add('Taskboard', { what: `frames above ${TARGET_FRAME_MS} ms`, value: late, unit: '' })
  console.log(
    `scrolling ${frames.cards} cards: ${frames.deltas.length} frames, median ${median(frames.deltas).toFixed(1)} ms, p99 ${frames.deltas.toSorted((a, b) => a - b)[Math.floor(frames.deltas.length * 0.99)].toFixed(1)} ms, longest ${worst.toFixed(1)} ms, ${late} above ${TARGET_FRAME_MS} ms`,
  )
  await context.close()
}

/* In the page. */
async function scrollThrough(selector) {
  const PIXELS = 160
  const WAIT_MS = 3_000
  const scroller = document.querySelector(selector)
  const count = () =>
    Number(document.querySelector('[data-column=todo] .count').textContent.replaceAll(/\D/g, ''))
  const deltas = []
  let lastMs = await new Promise(requestAnimationFrame)
  let movedMs = lastMs
  for (;;) {
    const before = scroller.scrollTop
    scroller.scrollTop += PIXELS
    const nowMs = await new Promise(requestAnimationFrame)
    deltas.push(nowMs - lastMs)
    lastMs = nowMs
    if (scroller.scrollTop !== before) movedMs = nowMs
    else if (nowMs - movedMs > WAIT_MS) return { deltas, cards: count() }
  }
}

async function main() {
  const text = { type: 'string' }
  const { values } = parseArgs({
    options: { url: text, selector: text, column: text, record: { type: 'boolean', default: false } },
  })
  const figures = figureCollector('dashboard', { isRecorded: values.record })
  const { launchBrowser } = await import('@taskboard/kit/browser/launch-browser')
  const browser = await launchBrowser()
  try {
    if (values.url === undefined) await measureOwn(browser, figures)
    else
      await measureFirstLoads(browser, figures, {
        size: SIZES.at(-1),
        column: values.column ?? values.url,
        page: values.url,
        selector: values.selector ?? 'body',
      })
  } finally {
    await browser.close()
  }
  await figures.save(`Node.js ${process.versions.node}, ${browser.browserType().name()} ${browser.version()}`)
}

// The packages are used from their sources, which takes a loader.
if (process.execArgv.includes('tsx')) await main()
else {
  const child = spawn(process.execPath, [...loader, self, ...process.argv.slice(2)], { stdio: 'inherit' })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
