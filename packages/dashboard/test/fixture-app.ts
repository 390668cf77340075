import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuiltApp, buildApp } from '../scripts/build-app.mjs'

/** A small application in a folder of its own, for tests of the server. */
export interface FixtureApp {
  readonly folder: string
  readonly built: BuiltApp
  remove(): Promise<void>
}

export async function buildFixtureApp(): Promise<FixtureApp> {
  const parent = await mkdtemp(join(tmpdir(), 'taskboard-dashboard-'))
  const folder = join(parent, 'app')
  const entry = fileURLToPath(new URL('fixture/main.mjs', import.meta.url))
  return {
    folder,
    built: await buildApp({ entry, outDir: folder }),
    remove: () => rm(parent, { recursive: true, force: true }),
  }
}
