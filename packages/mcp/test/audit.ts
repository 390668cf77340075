import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const modules = fileURLToPath(new URL('../audits/node_modules', import.meta.url))
const server = fileURLToPath(new URL('../test/conformance-server.ts', import.meta.url))
const node = join(modules, `node22-${process.platform}-${process.arch}/bin/node`)
const conformance = join(modules, '@modelcontextprotocol/conformance/dist/index.js')
const inspector = join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')

/** Whether `npm ci --prefix packages/mcp/audits` has run on a platform that has a binary. */
export const hasAudits: boolean = existsSync(node) && existsSync(conformance)

/** Serves the endpoint for the suite, in a process of its own. */
export async function serveForAudits(): Promise<{ readonly url: string; close(): void }> {
  const flags = ['--conditions=@taskboard/source', '--import', import.meta.resolve('tsx')]
  const child = spawn(process.execPath, [...flags, server], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  return { url: String(value), close: () => void child.kill('SIGKILL') }
}

/** The scenarios of the public conformance suite by name: whether the endpoint passes. */
export async function runSuite(url: string): Promise<ReadonlyMap<string, boolean>> {
  const folder = await mkdtemp(join(tmpdir(), 'taskboard-mcp-'))
  try {
    const output = await outputOf([
      conformance,
      'server',
      '--url',
      url,
      '--output-dir',
      folder,
      '--suite',
      'all',
    ])
    const lines = output.matchAll(/^([✓✗]) ([\w-]+): \d+ passed, \d+ failed$/gm)
    return new Map([...lines].map(([, mark, name]) => [String(name), mark === '✓']))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A connection of the Inspector's command line. */
interface Inspected {
  readonly url: string
  readonly key?: string
}

/** What the Inspector's command line prints, as JSON. */
export async function inspect({ url, key }: Inspected, ...args: readonly string[]): Promise<unknown> {
  const header = key === undefined ? [] : ['--header', `Authorization: Bearer ${key}`]
  return JSON.parse(await outputOf([inspector, '--cli', url, '--transport', 'http', ...header, ...args]))
}

/** Also of a program that fails. */
async function outputOf(args: readonly string[]): Promise<string> {
  const running = promisify(execFile)(node, args, { maxBuffer: 50_000_000 })
  const { stdout } = await running.catch((error: unknown) => error as { readonly stdout: string })
  return stdout
}
