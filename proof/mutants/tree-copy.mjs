import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { plant } from './plant.mjs'

/**
 * A copy of the sources, where a mutant can be made: programs that tests compile or start have it too, and the working tree never has. The
 * packages of others are the working tree's own.
 */
export async function copyTree(root, to) {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  if (listed.status !== 0) throw new Error(`git lists no files:\n${listed.stderr}`)
  const files = listed.stdout.split('\0').filter((file) => file !== '')
  const folders = new Set(files.map((file) => dirname(file)))
  for (const folder of folders) await mkdir(join(to, folder), { recursive: true })
  // A file that is deleted and still listed is not there to copy.
  for (const file of files) await cp(join(root, file), join(to, file)).catch(ignoreAbsent)
  await linkModules(join(root, 'node_modules'), join(to, 'node_modules'))
  for (const folder of folders) {
    const modules = join(root, folder, 'node_modules')
    if (files.includes(join(folder, 'package.json')) && folder !== '.')
      await symlink(modules, join(to, folder, 'node_modules')).catch(ignoreAbsent)
  }
}

/** Links between packages of the tree lead to those of the copy. */
async function linkModules(from, to) {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else if (entry.name.startsWith('@') && (await hasLinks(source))) await linkModules(source, target)
    else if (entry.name !== '.vite' && entry.name !== '.cache') await symlink(source, target)
  }
}

async function hasLinks(folder) {
  return (await readdir(folder, { withFileTypes: true })).some((entry) => entry.isSymbolicLink())
}

/** Makes a mutant in a copy while `work` runs. */
export async function withMutant(copy, { file, within, change }, work) {
  const path = join(copy, file)
  const original = await readFile(path, 'utf8')
  await writeFile(path, plant(original, within, change))
  try {
    return await work()
  } finally {
    await writeFile(path, original)
  }
}

function ignoreAbsent(error) {
  if (error.code !== 'ENOENT') throw error
}
