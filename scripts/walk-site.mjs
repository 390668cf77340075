// `npm run test:site`: builds the site of the docs and opens each page in a browser, at the width of a phone and of a desktop. Pictures
// have to load, links and their anchors to exist, and no page may scroll sideways or report an error. Then it searches, and reads the
// texts for language models. `-- --built` walks through the site that is there. Not part of continuous integration: it takes ten minutes.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { extname, join } from 'node:path'
import { launchBrowser } from '../proof/kit/browser/launch-browser.mjs'
import { root, run } from './run.mjs'

const WIDTHS = [360, 1440]
/** How many pages a tab opens: one that opened hundreds needs seconds for the next. */
const PAGES_OF_TAB = 50
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
}
const dist = join(root, 'docs/.vitepress/dist')

/** The file for a path of the site; undefined for none. */
function fileOf(pathname) {
  const path = join(dist, decodeURIComponent(pathname))
  return [path, `${path}.html`, join(path, 'index.html')].find(
    (each) => each.startsWith(dist) && statSync(each, { throwIfNoEntry: false })?.isFile(),
  )
}

async function serve() {
  const server = createServer(({ url = '/' }, response) => {
    const file = fileOf(new URL(url, 'http://site.example').pathname)
    if (file === undefined) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain; charset=utf-8' })
    return response.end(readFileSync(file))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

/* In the page. */
async function looked() {
  const pictures = [...document.images]
  await Promise.all(pictures.map((picture) => picture.decode().catch(() => undefined)))
  return {
    title: document.title,
    broken: pictures.filter(({ naturalWidth }) => naturalWidth === 0).map(({ src }) => src),
    pictures: pictures.length,
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    links: [...document.querySelectorAll('.vp-doc a[href]')].map(({ href }) => href),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }
}

/** Opens a page in a tab, and resolves with what it holds; adds its faults. */
async function open(tab, origin, path, faults) {
  const response = await tab.goto(origin + path, { waitUntil: 'load' })
  if (response?.status() !== 200) faults.push(`${path}: ${response?.status()}`)
  const found = await tab.evaluate(looked)
  for (const picture of found.broken) faults.push(`${path}: ${picture} does not load`)
  if (found.overflow > 1) faults.push(`${path}: scrolls ${found.overflow} pixels sideways`)
  if (found.title.startsWith('404')) faults.push(`${path}: not found`)
  return { ...found, ids: new Set(found.ids) }
}

/** Opens each page, and resolves with the faults. */
async function walk(browser, origin, pages, width) {
  const faults = []
  const seen = new Map()
  async function inTab(work) {
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const tab = await context.newPage()
    tab.on('pageerror', (error) => faults.push(`${tab.url()}: ${error.message}`))
    await work(tab)
    await context.close()
  }
  for (let from = 0; from < pages.length; from += PAGES_OF_TAB) {
    await inTab(async (tab) => {
      for (const path of pages.slice(from, from + PAGES_OF_TAB))
        seen.set(path, await open(tab, origin, path, faults))
    })
  }
  faults.push(...deadLinks(seen, origin))
  await inTab(async (tab) => faults.push(...(await search(tab, origin))))
  const pictures = [...seen.values()].reduce((sum, found) => sum + found.pictures, 0)
  console.log(`${width} pixels: ${seen.size} pages, ${pictures} pictures, ${faults.length} faults`)
  return faults.map((fault) => `${width}: ${fault}`)
}

function deadLinks(seen, origin) {
  return [...seen].flatMap(([path, { links }]) =>
    links
      .filter((link) => link.startsWith(origin))
      .flatMap((link) => {
        const { pathname, hash } = new URL(link)
        const target =
          seen.get(pathname) ?? seen.get(`${pathname}.html`) ?? seen.get(pathname.replace(/\.html$/, ''))
        if (target === undefined)
          return fileOf(pathname) === undefined ? [`${path}: ${pathname} is not there`] : []
        const id = decodeURIComponent(hash.slice(1))
        return id === '' || target.ids.has(id) ? [] : [`${path}: ${pathname} has no #${id}`]
      }),
  )
}

async function search(page, origin) {
  await page.goto(`${origin}/docs/`, { waitUntil: 'load' })
  await page.click('.VPNavBarSearch button')
  await page.fill('#localsearch-input', 'fencing token')
  const results = await page
    .waitForSelector('.VPLocalSearchBox .result', { timeout: 15_000 })
    .catch(() => null)
  return results === null ? ['the search for "fencing token" finds no page'] : []
}

async function texts(origin) {
  const wanted = ['/llms.txt', '/llms-full.txt', '/docs/agents.md', '/index.md', '/packages/client/index.md']
  const answers = await Promise.all(wanted.map(async (path) => [path, (await fetch(origin + path)).status]))
  return answers.filter(([, status]) => status !== 200).map(([path, status]) => `${path}: ${status}`)
}

if (!process.argv.includes('--built') || !existsSync(dist)) {
  const code = await run(process.execPath, [join(root, 'scripts/docs.mjs'), 'build'])
  if (code !== 0) process.exit(code)
}
const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.html') && path !== '404.html')
  .map((path) => `/${path.replace(/(?:^|(?<=\/))index\.html$/, '').replace(/\.html$/, '')}`)
const site = await serve()
const browser = await launchBrowser()
try {
  const faults = await texts(site.origin)
  const walks = await Promise.all(WIDTHS.map((width) => walk(browser, site.origin, pages, width)))
  faults.push(...walks.flat())
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
} finally {
  await browser.close()
  site.close()
}
