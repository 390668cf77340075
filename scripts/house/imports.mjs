import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { entriesOf, packageNames, workspaces } from '../packages.mjs'
import { root } from '../run.mjs'

/** What no one imports but tests, benchmarks and scripts, and what the build makes. */
const LEFT_OUT =
  /(^|\/)(node_modules|dist|test|bench|soak|audits|scripts|sdk-7|claude-sdk)\/|\.test(-d)?\.tsx?$|\.config\.ts$/

/** The order of names and paths, and of pairs of them. */
export const byText = (a, b) => (String(a) < String(b) ? -1 : 1)

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((path) => join(folder, path))
    .filter((path) => /\.m?tsx?$|\.mjs$/.test(path) && !LEFT_OUT.test(path))
}

/** Every import of a file of the workspaces by another one, types included, as `[from, to]`. */
export function readImports() {
  const files = new Set(workspaces.flatMap(filesIn))
  const entries = new Map(
    packageNames.flatMap(entriesOf).map(({ name, source }) => [`@taskboard/${name}`, source]),
  )
  /** The file that an import leads to; none for a library. */
  const targetOf = (from, name) => {
    if (!name.startsWith('.')) return entries.get(name)
    const path = join(dirname(from), name)
    return [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx'), path].find((each) => files.has(each))
  }
  return [...files].toSorted(byText).flatMap((from) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, from), 'utf8'), true, true)
    const targets = importedFiles.map(({ fileName }) => targetOf(from, fileName))
    return targets.filter((to) => to !== undefined).map((to) => [from, to])
  })
}
