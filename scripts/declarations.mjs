// Writes the declarations of the packages' types, one file for each source that an entry's types need.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { entriesOf, packageNames } from './packages.mjs'
import { capture, root } from './run.mjs'

const made = join(root, 'node_modules/.cache/taskboard-declarations')
/** A file of the same package that a declaration imports. */
const IMPORTED = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g

/**
 * Compiles the sources of all packages at once, without checking them: `npm run typecheck` does, with TypeScript 7. This is TypeScript 6,
 * because 7.0.2 sometimes leaves out files and exits with 0 (it wrote 366 to 907 of the 907 here).
 * @throws Error with the compiler's output.
 */
export async function compileDeclarations() {
  await rm(made, { recursive: true, force: true })
  await mkdir(made, { recursive: true })
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      rootDir: join(root, 'packages'),
      outDir: made,
    },
    files: packageNames.flatMap((name) => entriesOf(name).map(({ source }) => join(root, source))),
  }
  const project = join(made, 'tsconfig.json')
  await writeFile(project, JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { code, output } = await capture(process.execPath, [tsc, '-p', project])
  if (code !== 0) throw new Error(`no declarations:\n${output}`)
}

/** Copies what the entries of a package need into its `dist`. Throws for a declaration that needs a file outside its package. */
export async function copyDeclarations(name) {
  const from = join(made, name, 'src')
  const waiting = entriesOf(name).map(({ source }) =>
    join(made, relative('packages', source).replace(/\.ts$/, '.d.ts')),
  )
  for (const file of waiting) {
    const path = relative(from, file)
    if (path.startsWith('..')) throw new Error(`a type of packages/${name} is declared by ${path}`)
    const text = await readFile(file, 'utf8')
    for (const [, imported] of text.matchAll(IMPORTED)) {
      const next = `${join(dirname(file), imported)}.d.ts`
      if (!waiting.includes(next)) waiting.push(next)
    }
    await cp(file, join(root, 'packages', name, 'dist', path))
  }
}
