// Builds the application that the package serves: bundles app/main.tsx with its styles into dist/app, names the files by their content,
// and puts compressed forms beside them. Nothing is left to build for a host.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'esbuild'

const home = fileURLToPath(new URL('..', import.meta.url))
const defaultEntry = join(home, 'app/main.tsx')
const defaultOut = join(home, 'dist/app')
const COMPRESSED = /\.(?:js|css|svg|json|txt)$/
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%232f5fd0'/%3E%3Cpath d='M3 4h3v8H3zm4 0h3v5H7zm4 0h2v3h-2z' fill='%23fff'/%3E%3C/svg%3E"

/** Whether the application was built after the last change of what it is made from. */
export function isAppFresh() {
  const manifest = join(defaultOut, 'manifest.json')
  if (!existsSync(manifest)) return false
  const sources = ['app', 'scripts', '../client/src'].map((path) => join(home, path))
  return Math.max(...sources.map(newestMs)) < statSync(manifest).mtimeMs
}

function newestMs(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Math.max(...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs))
}

/**
 * Bundles `entry` into `outDir`. The folder is replaced as a whole, so that a server never sees half of it.
 * @param {{ entry?: string, outDir?: string }} [options]
 */
export async function buildApp({ entry = defaultEntry, outDir = defaultOut } = {}) {
  const made = `${outDir}.${process.pid}`
  await rm(made, { recursive: true, force: true })
  await mkdir(join(made, 'assets'), { recursive: true })
  try {
    const { metafile } = await bundle(entry, join(made, 'assets'))
    const files = outputsOf(metafile)
    const sizes = await compressAll(join(made, 'assets'))
    const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
    const manifest = { version, ...files, sizes }
    await writeFile(join(made, 'index.html'), pageOf(files))
    await writeFile(join(made, 'LICENSES.txt'), await licensesOf(metafile))
    await writeFile(join(made, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    await rm(outDir, { recursive: true, force: true })
    await mkdir(dirname(outDir), { recursive: true })
    await rename(made, outDir)
    return manifest
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

const PLOT_LOCALE = "domEnv ? nav.language : 'en-US'"

/**
 * uPlot formats numbers for `navigator.language` when it is loaded, which throws for what some browsers name (`en-US@posix`). Without a
 * locale they are formatted as everywhere else in the dashboard.
 */
const plotInAnyLocale = {
  name: 'plot in any locale',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]uPlot\.esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes(PLOT_LOCALE)) throw new Error(`${path} has no ${PLOT_LOCALE}`)
      return { contents: text.replace(PLOT_LOCALE, 'undefined'), loader: 'js' }
    })
  },
}

function bundle(entry, outdir) {
  return build({
    entryPoints: { main: entry },
    outdir,
    absWorkingDir: home,
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['@taskboard/source', 'module', 'browser'],
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [plotInAnyLocale],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    legalComments: 'none',
    logLevel: 'warning',
  })
}

/** The entry, its style sheets, and the scripts that it imports at once. */
function outputsOf({ outputs }) {
  const [entryPath, entry] = Object.entries(outputs).find(
    ([path, { entryPoint }]) =>
      entryPoint !== undefined && path.endsWith('.js') && basename(path).startsWith('main-'),
  )
  const imported = new Set()
  const follow = (path) => {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || imported.has(next)) continue
      imported.add(next)
      follow(next)
    }
  }
  follow(entryPath)
  return {
    script: basename(entryPath),
    styles: entry.cssBundle === undefined ? [] : [basename(entry.cssBundle)],
    preloaded: [...imported].map((path) => basename(path)),
  }
}

function pageOf({ script, styles, preloaded }) {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    '<title>Taskboard</title>',
    `<link rel="icon" href="${icon}">`,
    ...styles.map((name) => `<link rel="stylesheet" href="assets/${name}">`),
    ...preloaded.map((name) => `<link rel="modulepreload" href="assets/${name}">`),
    `<script type="module" src="assets/${script}"></script>`,
    '</head>',
    '<body>',
    '<div id="app"></div>',
    '<noscript>The dashboard requires JavaScript.</noscript>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

async function compressAll(folder) {
  const names = (await readdir(folder)).filter((name) => COMPRESSED.test(name)).sort()
  const sizes = await Promise.all(names.map(async (name) => [name, await compress(join(folder, name))]))
  return Object.fromEntries(sizes)
}

async function compress(path) {
  const bytes = await readFile(path)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const [small, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  await Promise.all([writeFile(`${path}.br`, small), writeFile(`${path}.gz`, zipped)])
  return { bytes: bytes.length, gzip: zipped.length, brotli: small.length }
}

/** The licences of the libraries in the bundle, which ask to be kept with copies. */
async function licensesOf({ inputs }) {
  const found = Object.keys(inputs).flatMap(
    (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  )
  const folders = [...new Set(found)].sort().map((path) => join(home, path))
  return (await Promise.all(folders.map(licenseOf))).join('\n\n')
}

async function licenseOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8')
  return `${name} ${version} (${license})\n\n${text.trim()}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (existsSync(defaultEntry)) {
    const { sizes } = await buildApp()
    const total = Object.values(sizes).reduce((sum, { gzip: size }) => sum + size, 0)
    console.log(`built ${relative(process.cwd(), defaultOut)}: ${(total / 1000).toFixed(1)} kB gzipped`)
  } else console.log('packages/dashboard/app/main.tsx does not exist: built no application')
}
