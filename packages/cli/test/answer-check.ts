import { Ajv2020 } from 'ajv/dist/2020.js'
import * as formats from 'ajv-formats'
import { expect } from 'vitest'

interface Described {
  readonly operationId?: string
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

/** Compares values with the answers that a server's OpenAPI document promises. */
export async function answerCheck(url: string): Promise<(operation: string, value: unknown) => void> {
  const document = (await (await fetch(`${url}/v2/openapi.json`)).json()) as Document
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default.default(ajv)
  ajv.addSchema(document, 'api')
  const pointers = new Map<string, string>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId = '', responses }] of Object.entries(methods)) {
      const status = Object.keys(responses).find((one) => one.startsWith('2')) ?? '200'
      const segments = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema']
      const escaped = segments.map((one) =>
        encodeURIComponent(one.replaceAll('~', '~0').replaceAll('/', '~1')),
      )
      pointers.set(operationId, escaped.join('/'))
    }
  }
  return (operation, value) => {
    const validate = ajv.compile({ $ref: `api#/${pointers.get(operation)}` })
    expect(
      validate(value),
      `${operation}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`,
    ).toBe(true)
  }
}
