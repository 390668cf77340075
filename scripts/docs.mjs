// Serves (`dev`) or builds (`build`) the docs site. Its libraries are in docs/, apart from those of the packages, and are installed
// at the first use. Pages are copied below docs/, because tools resolve those libraries from the page's folder.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.mjs'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const folder = join(root, 'docs')
const site = join(folder, '.site')
const sources = [
  '.',
  'examples',
  'docs',
  'docs/decisions',
  'docs/images',
  'clients/python',
  ...packageFolders(),
]

function packageFolders() {
  return readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)
}

function copyPages(source) {
  for (const name of readdirSync(join(root, source))) {
    if (!/\.(?:md|svg|png)$/.test(name)) continue
    mkdirSync(join(site, source), { recursive: true })
    cpSync(join(root, source, name), join(site, source, name))
  }
}

async function inDocs(...args) {
  const code = await run(npm, [...args, '--prefix', folder])
  if (code !== 0) process.exit(code)
}

const [task = 'dev'] = process.argv.slice(2)
if (!existsSync(join(folder, 'node_modules'))) await inDocs('ci')
rmSync(site, { recursive: true, force: true })
for (const source of sources) copyPages(source)
await inDocs('run', 'reference')
if (task === 'dev') for (const source of sources) watch(join(root, source), () => copyPages(source))
await inDocs('run', task)
process.exit(0)
