import { PGlite } from '@electric-sql/pglite'
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { migrate, pglitePool } from '@taskboard/postgres'
import { makeDataDirectory } from '../inside/postgres.js'

const DATA = 'data'
const ARCHIVE = 'data.tar'

/** A PGlite in memory after its first `migrate`: a copy of a template that is created once for all files of a run. */
export async function createMigratedPglite(): Promise<PGlite> {
  const archive = await readFile(join(await template(), ARCHIVE))
  return PGlite.create({ loadDataDir: new Blob([archive]) })
}

/** Fills a directory as `openPglite` and a first `migrate` do, from the same template. */
export async function fillPgliteDirectory(directory: string): Promise<void> {
  // `cp` takes four times the processor time for a thousand files.
  cpSync(join(await template(), DATA), join(directory, DATA), { recursive: true })
}

let made: Promise<string> | undefined
const template = (): Promise<string> => (made ??= makeTemplate(inject('pgliteTemplate')))

/** Creates the template unless it exists. It appears complete or not at all; of concurrent ones the first is kept. */
async function makeTemplate(folder: string): Promise<string> {
  if (existsSync(folder)) return folder
  const draft = `${folder}-draft-${randomBytes(8).toString('hex')}`
  await mkdir(draft, { recursive: true })
  await makeDataDirectory(draft)
  const pglite = await PGlite.create(join(draft, DATA))
  await migrate(pglitePool(pglite))
  // A copy of its files then needs no recovery.
  await pglite.exec('checkpoint')
  const archive = await pglite.dumpDataDir('none')
  await writeFile(join(draft, ARCHIVE), Buffer.from(await archive.arrayBuffer()))
  await pglite.close()
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
  return folder
}
