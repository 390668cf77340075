import { Validator } from '@seriousme/openapi-schema-validator'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../../taskboard.js'
import { toFetchHandler } from '../fetch-handler.js'
import { mountedPath } from './enterprise-routes.js'

async function served(prefix?: string) {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    ...(prefix !== undefined && { paths: { enterprise: prefix } }),
  })
  const handle = toFetchHandler(taskboard)
  const get = async (path: string) =>
    handle(new Request(`http://host.example${mountedPath(taskboard.surface, path)}`))
  const document = (await (await get('/v2/openapi.json')).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
    readonly components: { readonly schemas: Readonly<Record<string, object>> }
  }
  return { document, page: await (await get('/v2/reference')).text() }
}

interface Described {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly required: boolean }
}

describe('the OpenAPI document', () => {
  it('is one, of version 3.1', async () => {
    const { document } = await served()
    const validator = new Validator()
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('names each operation once, and refers to nothing that is not there', async () => {
    const { document } = await served()
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target]) => target,
    )
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(references.filter((target) => !known.includes(target ?? ''))).toEqual([])
  })

  it('tells what must be given', async () => {
    const { document } = await served()
    const create = document.paths['/v2/webhooks']?.['post']
    expect(create?.requestBody?.required).toBe(true)
    expect(document.paths['/v2/webhooks/{webhook_id}/rotate-secret']?.['post']?.requestBody?.required).toBe(
      false,
    )
    const listed = document.paths['/v2/webhooks/{webhook_id}/deliveries']?.['get']?.parameters
    expect(listed?.map(({ name, required }) => [name, required])).toEqual([
      ['webhook_id', true],
      ['status', false],
      ['limit', false],
      ['cursor', false],
    ])
  })

  it('is of the paths that the host has chosen', async () => {
    const { document, page } = await served('/api/v2')
    expect(Object.keys(document.paths)).toContain('/api/v2/account')
    expect(Object.keys(document.paths).every((path) => path.startsWith('/api/v2/'))).toBe(true)
    expect(page).toContain('<code>/api/v2/account</code>')
  })
})

describe('the reference', () => {
  it('has a section for each operation, with parameters, body and answer, and runs no script', async () => {
    const { document, page } = await served()
    for (const methods of Object.values(document.paths))
      for (const { operationId } of Object.values(methods))
        expect(page).toContain(`<article id="${operationId}">`)
    expect(page).toContain('events: [&#34;task.created&#34;')
    expect(page).not.toContain('<script')
    expect(page).not.toMatch(/(src|href)="(?!#)/)
  })
})
