import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import * as formats from 'ajv-formats'
import type { ClientResponse } from '../transport/http-client.js'

interface Described {
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, object>>
        readonly content?: Readonly<Record<string, object>>
      }
    >
  >
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
}

/** Checks responses against an OpenAPI document. */
export interface OpenApiCheck {
  readonly document: Document
  /** Throws an `AssertionError` when the document doesn't allow this response to that request. */
  assertPromised(method: string, path: string, answer: ClientResponse): void
}

const checks = new Map<string, OpenApiCheck>()

/** A check by the document `text`. Equal texts share their compiled schemas. */
export function openApiCheck(text: string): OpenApiCheck {
  const known = checks.get(text)
  if (known !== undefined) return known
  const check = createCheck(JSON.parse(text) as Document)
  checks.set(text, check)
  return check
}

function createCheck(document: Document): OpenApiCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default.default(ajv)
  ajv.addSchema(document, 'api')
  const validators = new Map<string, ValidateFunction>()
  const templates = Object.keys(document.paths)
    .map((template) => ({ template, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
    .toSorted((one, other) => Number(one.template.includes('{')) - Number(other.template.includes('{')))

  function validatorOf(pointer: string): ValidateFunction {
    let validator = validators.get(pointer)
    if (validator === undefined) {
      validator = ajv.compile({ $ref: `api#${pointer}` })
      validators.set(pointer, validator)
    }
    return validator
  }

  return {
    document,
    assertPromised(method, path, answer) {
      const { template } = templates.find(({ pattern }) => pattern.test(path)) ?? {}
      assert.ok(template !== undefined, `${path} is documented`)
      const operations = document.paths[template] ?? {}
      // Any operation of the path describes the response to a wrong method.
      const used =
        operations[method.toLowerCase()] === undefined ? Object.keys(operations)[0] : method.toLowerCase()
      const responses = operations[used ?? '']?.responses ?? {}
      const status = answer.status === 405 ? '401' : String(answer.status)
      const promised = responses[status]
      assert.ok(promised !== undefined, `${method} ${path} may answer ${answer.status}: ${answer.text}`)
      if (promised.headers?.['X-Request-Id'] !== undefined)
        assert.equal(typeof answer.headers['x-request-id'], 'string')
      if (promised.content === undefined) return assert.equal(answer.text, '')
      if (promised.content['application/json'] === undefined) return undefined
      const pointer = [
        'paths',
        template,
        used ?? '',
        'responses',
        status,
        'content',
        'application/json',
        'schema',
      ]
      const validate = validatorOf(`/${pointer.map(escaped).join('/')}`)
      const isValid = validate(answer.json())
      assert.ok(
        isValid,
        `${method} ${path} answers as documented: ${ajv.errorsText(validate.errors)} in ${answer.text}`,
      )
    },
  }
}

function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))
}
