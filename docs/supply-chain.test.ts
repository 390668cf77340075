import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { packageNames } from '../scripts/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

interface Manifest {
  readonly publishConfig?: object
  readonly dependencies?: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}

interface Locked {
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

interface Component {
  readonly purl: string
  readonly scope: string
  readonly hashes?: readonly object[]
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))
const manifestOf = (folder: string) => read(`${folder}/package.json`) as Manifest
const lockedIn = (file: string) =>
  (read(file) as { readonly packages: Readonly<Record<string, Locked>> }).packages
const manifest = manifestOf('.')

/** The names of the packages with install scripts in a lock file. */
function withScripts(lockFile: string): readonly string[] {
  const packages = lockedIn(lockFile)
  const paths = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true)
  return [...new Set(paths.map((path) => path.split('node_modules/').at(-1) ?? path))].toSorted()
}

/** All that a package needs at run time, by the lock file. */
function neededBy(names: readonly string[]): ReadonlySet<string> {
  const packages = lockedIn('package-lock.json')
  const needed = new Set<string>()
  const left = [...names]
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (needed.has(name)) continue
    needed.add(name)
    const places = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`))
    for (const place of places) left.push(...Object.keys(packages[place]?.dependencies ?? {}))
  }
  return needed
}

const lockFiles = [
  'package-lock.json',
  'docs/package-lock.json',
  'examples/agent-sdks/claude-sdk/package-lock.json',
  'packages/ai/sdk-7/package-lock.json',
  'packages/mcp/audits/package-lock.json',
  'scripts/node-matrix/package-lock.json',
]

describe('the packages that run scripts when they are installed', () => {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const [, section = ''] = page.split('### Packages with install scripts\n')
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))

  it('are each in the table, with what the script does and why it is there', () => {
    const listed = rows.flatMap((row) => {
      const [names = '', what = '', why = ''] = row.split('|').slice(1, -1)
      expect(what.trim().length * why.trim().length).toBeGreaterThan(0)
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    })
    expect(listed.toSorted()).toEqual([...new Set(lockFiles.flatMap(withScripts))].toSorted())
  })

  it('are those of the root that npm may run scripts of', () => {
    expect(Object.keys(manifest.allowScripts).toSorted()).toEqual(withScripts('package-lock.json'))
  })

  it('are needed by no package that is published', () => {
    const own = packageNames.flatMap((name) => Object.keys(manifestOf(`packages/${name}`).dependencies ?? {}))
    const needed = neededBy(own)
    expect(needed.size).toBeGreaterThan(30)
    expect(withScripts('package-lock.json').filter((name) => needed.has(name))).toEqual([])
  })
})

describe('a release', () => {
  it('asks npm for provenance, in each package', () => {
    for (const name of packageNames) {
      const { publishConfig } = manifestOf(`packages/${name}`)
      expect(publishConfig).toEqual({ access: 'public', provenance: true })
    }
  })

  it('has a list of what it consists of, in CycloneDX', async () => {
    const [command = ''] = manifest.scripts['sbom']?.split(' > ') ?? []
    const [program = '', ...options] = command.split(' ')
    const { stdout } = await run(program, options, {
      cwd: root,
      maxBuffer: 1e8,
      shell: process.platform === 'win32',
    })
    const bom = JSON.parse(stdout) as {
      readonly bomFormat: string
      readonly components: readonly Component[]
    }
    expect(bom.bomFormat).toBe('CycloneDX')
    const find = (name: string) => bom.components.find(({ purl }) => purl.startsWith(`pkg:npm/${name}@`))
    for (const name of packageNames) expect(find(`%40taskboard/${name}`)).toBeDefined()
    for (const name of ['zod', 'undici', 'nodemailer', 'ipaddr.js']) {
      expect(find(name)).toMatchObject({ scope: 'required', hashes: [{}] })
    }
    expect(find('vitest')).toMatchObject({ scope: 'optional' })
  }, 60_000)
})
