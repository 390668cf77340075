import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageNames as names } from '../packages.mjs'
import { capture, root } from '../run.mjs'
import { installHost, packPackages } from './scratch-host.mjs'

/** Files that are no program: the root entry of a manifest does not name them. */
const further = {
  '@taskboard/graphql': ['schema.graphql'],
  '@taskboard/dashboard': ['dist/app/index.html', 'dist/app/manifest.json', 'dist/app/LICENSES.txt'],
}
/** An entry that is no program has no types. */
const ofTypes = ['--profile', 'esm-only', '--exclude-entrypoints', './schema.graphql']
/** The newest release, and the last one that is written in JavaScript. */
const compilers = [
  [7, 'typescript-native/bin/tsc'],
  [6, 'typescript/bin/tsc'],
]
const hosts = [
  ['in a strict host', 'tsconfig.json'],
  ['of the client in Node.js', 'client-for-node.json'],
  ['of the client by a bundler', 'client-for-bundlers.json'],
]
const program = (path) => join(root, 'node_modules', path)
const fixture = (name) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))

async function check(totals, title, work) {
  const problem = await work().catch((error) => String(error.stack ?? error))
  if (problem === '') totals.passed += 1
  else {
    totals.failed += 1
    totals.failures.push(`${title}\n${problem}`)
  }
  console.log(problem === '' ? `ok      ${title}` : `FAILED  ${title}\n${problem}`)
}

async function node(args, cwd) {
  const { code, output } = await capture(process.execPath, args, { cwd })
  return code === 0 ? '' : output || `exit code ${code}`
}

/** The tarball must have the files that the manifest names, the licence and the README. */
async function missingFiles(folder) {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const files = await readdir(folder, { recursive: true })
  const pointers = [manifest.main, manifest.types, ...Object.values(manifest.exports['.'])]
  const wanted = ['LICENSE', 'README.md', ...pointers.map((path) => path.replace(/^\.\//, ''))].concat(
    further[manifest.name] ?? [],
  )
  const missing = wanted.filter((path) => !files.includes(path))
  const tests = files.filter((path) => path.endsWith('.test.ts') || path.endsWith('.test.js'))
  return [...missing.map((path) => `not packed: ${path}`), ...tests.map((path) => `packed: ${path}`)].join(
    '\n',
  )
}

/**
 * Packs every package, lints the tarballs, installs them into an empty host outside the repository and uses them there as a host
 * does: import, require, strict type checks of `fixtures/host.ts` and `fixtures/client.ts`, calls of the client, and the command line by npx. Requires the build, but no network.
 */
export async function checkPackages() {
  const totals = { passed: 0, failed: 0, failures: [] }
  const folder = await mkdtemp(join(tmpdir(), 'taskboard-host-'))
  try {
    const tarballs = await packPackages(names, folder)
    for (const name of names) {
      const tarball = tarballs.get(name)
      await Promise.all([
        check(totals, `publint ${name}`, () =>
          node([program('publint/src/cli.js'), tarball, '--strict'], root),
        ),
        check(totals, `attw ${name}`, () =>
          node([program('@arethetypeswrong/cli/dist/index.js'), tarball, ...ofTypes], root),
        ),
      ])
    }
    await check(totals, 'install the tarballs into a host', () => installHost(folder, tarballs))
    for (const name of names) {
      const installed = join(folder, 'node_modules/@taskboard', name)
      await check(totals, `files of ${name}`, () => missingFiles(installed))
      await check(totals, `import and require ${name}`, () =>
        node(['--no-warnings', fixture('load.mjs'), folder, `@taskboard/${name}`], folder),
      )
    }
    for (const [release, compiler] of compilers) {
      for (const [title, config] of hosts) {
        await check(totals, `types ${title}, by TypeScript ${release}`, () =>
          node([program(compiler), '-p', join(folder, config)], folder),
        )
      }
    }
    await check(totals, 'calls of the installed client', () =>
      node(['--no-warnings', fixture('use-client.mjs'), folder], folder),
    )
    await check(totals, 'npx of the installed command line', () =>
      node(['--no-warnings', fixture('use-cli.mjs'), folder], folder),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return totals
}
