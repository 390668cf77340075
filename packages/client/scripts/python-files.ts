import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { pythonSource } from './python-source.js'
import type { Document } from './wire-source.js'

const folder = new URL('../../../clients/python/taskboard/', import.meta.url)

/** The stubs of the Python client for a document, by their paths. Its methods are those of its `operations.py`. */
export async function pythonFiles(document: Document): Promise<Readonly<Record<string, string>>> {
  const table = await readFile(new URL('operations.py', folder), 'utf8')
  const paged = /_PAGED = \((.*)\)/.exec(table)?.[1] ?? ''
  const methods = [...table.matchAll(/^ {4}"([\w.]+)": \("(\w+)"/gm)].map(
    ([, name = '', operationId = '']) => ({
      name,
      operationId,
      isPaged: paged.includes(`"${name.split('.').at(-1)}"`),
    }),
  )
  const { wire, methods: stub, asyncMethods } = pythonSource(document, methods)
  return {
    [fileURLToPath(new URL('wire.pyi', folder))]: wire,
    [fileURLToPath(new URL('methods.pyi', folder))]: stub,
    [fileURLToPath(new URL('async_methods.pyi', folder))]: asyncMethods,
  }
}
