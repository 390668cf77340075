import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { conformance, outputOf } from '@taskboard/kit/mcp/audit'

const server = fileURLToPath(new URL('conformance-server.ts', import.meta.url))

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
