import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'

/** A file of the application, in all forms that it is served in. */
export interface ServedFile {
  readonly type: string
  readonly digest: string
  /** Whether its name changes with its content. */
  readonly isHashed: boolean
  readonly bytes: Uint8Array
  /** The compressed forms, smallest first. */
  readonly encoded: readonly { readonly encoding: string; readonly bytes: Uint8Array }[]
}

/** The built application. */
export interface Application {
  readonly version: string
  readonly page: ServedFile
  /** By name, without the folder. */
  readonly assets: ReadonlyMap<string, ServedFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}
/** Smallest first. */
const ENCODINGS = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' },
]
const DIGEST_LENGTH = 22

/** Reads the application at the first call, and then keeps it. A failed read is tried again at the next call. */
export function openApplication(folder?: string): () => Promise<Application> {
  let reading: Promise<Application> | undefined
  return () => {
    reading ??= readApplication(folder).catch((error: unknown) => {
      reading = undefined
      throw error
    })
    return reading
  }
}

/** Found by the package's name, so that a server compiled from the sources finds it too. */
async function readApplication(given: string | undefined): Promise<Application> {
  const folder = given ?? join(dirname(manifestPath()), 'dist/app')
  const { version } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as { version: string }
  const assets = join(folder, 'assets')
  const names = await readdir(assets)
  const plain = names.filter((name) => ENCODINGS.every(({ ending }) => !name.endsWith(ending)))
  const files = await Promise.all(plain.map((name) => readServed(assets, name, names)))
  const page = await readServed(folder, 'index.html', [])
  return {
    version,
    page: { ...page, isHashed: false },
    assets: new Map(plain.map((name, index) => [name, files[index] as ServedFile])),
  }
}

function manifestPath(): string {
  return createRequire(import.meta.url).resolve('@taskboard/dashboard/package.json')
}

async function readServed(folder: string, name: string, names: readonly string[]): Promise<ServedFile> {
  const bytes = await readFile(join(folder, name))
  const forms = ENCODINGS.filter(({ ending }) => names.includes(name + ending))
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    digest: createHash('sha256').update(bytes).digest('base64url').slice(0, DIGEST_LENGTH),
    isHashed: true,
    bytes,
    encoded: await Promise.all(
      forms.map(async ({ encoding, ending }) => ({
        encoding,
        bytes: await readFile(join(folder, name + ending)),
      })),
    ),
  }
}
