// Serves (`dev`) or builds (`build`) the docs site. Its libraries are in docs/, apart from those of the packages, and are installed
// at the first use. Pages are copied below docs/, because tools resolve those libraries from the page's folder.
import { cpSync, existsSync, mkdirSync, rmSync, watch, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generate } from './generate.mjs'
import { root, run } from './run.mjs'
import { siteDownloads, siteFilesIn, siteFolders } from './site-files.mjs'
import { siteTexts } from './site-texts.mjs'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const folder = join(root, 'docs')
const site = join(folder, '.site')

function copyTo(folderOfSite, file) {
  mkdirSync(dirname(join(folderOfSite, file)), { recursive: true })
  cpSync(join(root, file), join(folderOfSite, file))
}

function copyPages(source) {
  for (const file of siteFilesIn(source)) copyTo(site, file)
}

async function inDocs(...args) {
  const code = await run(npm, [...args, '--prefix', folder])
  if (code !== 0) process.exit(code)
}

const [task = 'dev'] = process.argv.slice(2)
if (!existsSync(join(folder, 'node_modules'))) await inDocs('ci')
await generate()
rmSync(site, { recursive: true, force: true })
for (const source of siteFolders) copyPages(source)
for (const file of siteDownloads) copyTo(join(site, 'public'), file)
for (const [path, text] of siteTexts()) {
  mkdirSync(dirname(join(site, 'public', path)), { recursive: true })
  writeFileSync(join(site, 'public', path), text)
}
await inDocs('run', 'reference')
if (task === 'dev') for (const source of siteFolders) watch(join(root, source), () => copyPages(source))
await inDocs('run', task)
process.exit(0)
