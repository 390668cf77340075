import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const modules = fileURLToPath(new URL('../../../packages/mcp/audits/node_modules', import.meta.url))
const node = join(modules, `node22-${process.platform}-${process.arch}/bin/node`)
/** The program of the public conformance suite. */
export const conformance = join(modules, '@modelcontextprotocol/conformance/dist/index.js')
const inspector = join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')

/** Whether `npm ci --prefix packages/mcp/audits` has run on a platform that has a binary. */
export const hasAudits: boolean = existsSync(node) && existsSync(conformance)

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

/** What a program of the audits prints, also when it fails. */
export async function outputOf(args: readonly string[]): Promise<string> {
  const running = promisify(execFile)(node, args, { maxBuffer: 50_000_000 })
  const { stdout } = await running.catch((error: unknown) => error as { readonly stdout: string })
  return stdout
}
