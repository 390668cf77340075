// A browser for tests and screenshots: the Chromium in @sparticuz/chromium on Linux x64, else an installed one (`CHROME_PATH`). The package is
// unpacked here and not by its own code, whose arguments switch off the very rules that the tests are about (`--disable-web-security`).
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { chromium } from 'playwright-core'

const cache = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url))
const ARGUMENTS = ['--disable-gpu', '--font-render-hinting=none', '--no-zygote']
const EXECUTABLE = 0o755
const FONTS = {
  'sans-serif': ['Open Sans'],
  'system-ui': ['Open Sans'],
  monospace: ['DejaVu Sans Mono', 'Liberation Mono', 'Noto Sans Mono'],
}

/** Launches a browser, without a window. The caller closes it. */
export async function launchBrowser() {
  const { executablePath, env } = await findBrowser()
  return chromium.launch({
    executablePath,
    args: ARGUMENTS,
    env: { ...process.env, ...env },
    chromiumSandbox: false,
  })
}

async function findBrowser() {
  const installed = process.env.CHROME_PATH
  if (installed !== undefined && installed !== '') return { executablePath: installed, env: {} }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'set CHROME_PATH to an installed Chrome, Chromium or Edge: this package has one for Linux x64 alone',
    )
  }
  const folder = await unpacked()
  // Its own libraries and fonts, so that nothing must be installed, and pictures are the same everywhere.
  const env = { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder }
  return { executablePath: join(folder, 'chromium'), env }
}

/** Unpacks the package once; of those who do so at the same time, the first one's folder stays. */
async function unpacked() {
  const packageFolder = dirname(
    dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium'))),
  )
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const folder = join(cache, `taskboard-chromium-${version}-fonts`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  // Threads of one process do so, too.
  const made = await mkdtemp(`${folder}.`)
  const read = async (name) =>
    promisify(brotliDecompress)(await readFile(join(packageFolder, 'bin', `${name}.br`)))
  await Promise.all([
    read('chromium').then((bytes) => writeFile(join(made, 'chromium'), bytes, { mode: EXECUTABLE })),
    ...['al2023.tar', 'fonts.tar'].map(async (name) => {
      await writeFile(join(made, name), await read(name))
      await promisify(execFile)('tar', ['-xf', name], { cwd: made })
      await rm(join(made, name))
    }),
  ])
  await writeFile(join(made, 'fonts.conf'), fontsIn(folder))
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }))
  return folder
}

/** Its fonts first, then those of the machine, for letters that they lack and for code. */
function fontsIn(folder) {
  const preferred = Object.entries(FONTS).map(
    ([family, names]) =>
      `<alias><family>${family}</family><prefer>${names.map((name) => `<family>${name}</family>`).join('')}</prefer></alias>`,
  )
  return `<?xml version="1.0"?>
<fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/cache</cachedir>${preferred.join('')}</fontconfig>
`
}
