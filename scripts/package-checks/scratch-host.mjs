import { existsSync } from 'node:fs'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { manifestOf } from '../packages.mjs'
import { capture, root } from '../run.mjs'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
/** What the host provides: the peers of the packages, such as frameworks and drivers, with their types, and those of Node.js. */
function hostLibraries(names) {
  const peers = names.flatMap((name) => Object.keys(manifestOf(`packages/${name}`).peerDependencies ?? {}))
  const own = [...new Set(peers)].filter((name) => !name.startsWith('@taskboard/'))
  return ['@types/node', ...own, ...own.map((name) => `@types/${name}`)].filter((name) =>
    existsSync(join(root, 'node_modules', name)),
  )
}

async function pack(folders, destination) {
  const { code, stdout, output } = await capture(npm, [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    destination,
    ...folders,
  ])
  if (code !== 0) throw new Error(output)
  return JSON.parse(stdout).map(({ name, filename }) => ({ name, path: join(destination, filename) }))
}

const fileUrl = (path) => `file:${path}`

/** Packs the workspaces; resolves with the tarball of each. */
export async function packPackages(names, destination) {
  const packed = await pack(
    names.map((name) => `./packages/${name}`),
    destination,
  )
  return new Map(
    names.map((name) => [name, packed.find((entry) => entry.name === `@taskboard/${name}`).path]),
  )
}

/** The third-party libraries that the packages depend on, with what those depend on, as folders of this repository. */
function runtimeLibraries(names) {
  const folders = new Map()
  const queue = names.map((name) => join(root, 'packages', name))
  for (const folder of queue) {
    const { dependencies = {} } = manifestOf(relative(root, folder))
    for (const name of Object.keys(dependencies)) {
      if (name.startsWith('@taskboard/') || folders.has(name)) continue
      const own = join(folder, 'node_modules', name)
      const path = existsSync(own) ? own : join(root, 'node_modules', name)
      folders.set(name, path)
      queue.push(path)
    }
  }
  return folders
}

/**
 * Installs the tarballs into `folder` with npm. The libraries that they need are tarballs too, packed from this repository's locked
 * ones, so that the install needs no registry. Resolves with npm's output when it fails, else ''.
 */
export async function installHost(folder, tarballs) {
  const libraries = await pack([...runtimeLibraries([...tarballs.keys()]).values()], folder)
  const own = [...tarballs].map(([name, path]) => [`@taskboard/${name}`, fileUrl(path)])
  const manifest = {
    name: 'host',
    private: true,
    type: 'module',
    dependencies: Object.fromEntries(own),
    overrides: Object.fromEntries(libraries.map(({ name, path }) => [name, fileUrl(path)])),
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const install = [
    'install',
    '--offline',
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--no-audit',
    '--no-fund',
  ]
  const { code, output } = await capture(npm, install, { cwd: folder })
  if (code !== 0) return output
  for (const name of hostLibraries([...tarballs.keys()])) {
    const target = join(folder, 'node_modules', name)
    // A library that a package depends on is there already.
    if (existsSync(target)) continue
    await mkdir(dirname(target), { recursive: true })
    await symlink(join(root, 'node_modules', name), target, 'dir')
  }
  const fixtures = [
    'host.ts',
    'tsconfig.json',
    'client.ts',
    'client-for-node.json',
    'client-for-bundlers.json',
  ]
  for (const name of fixtures) {
    await cp(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)), join(folder, name))
  }
  return ''
}
