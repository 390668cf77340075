import type { OpenApiDocument } from './openapi.js'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
}

const DEEPEST = 8

/** A JSON Schema in a short form like a JSON value: names, types, and `?` for optional members. */
function shapeOf(schema: object, components: Readonly<Record<string, object>>): string {
  return nestedShape(schema, components, 0)
}

function nestedShape(schema: Schema, components: Readonly<Record<string, object>>, depth: number): string {
  if (depth > DEEPEST) return '…'
  if (schema.$ref !== undefined) {
    const target = components[schema.$ref.slice('#/components/schemas/'.length)]
    return target === undefined ? 'unknown' : nestedShape(target, components, depth)
  }
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((each) => nestedShape(each, components, depth)).join(' | ')
  if (schema.type === 'array') return `[${nestedShape(schema.items ?? {}, components, depth)}, …]`
  if (schema.type === 'object') return objectShape(schema, components, depth)
  return schema.format ?? schema.type ?? 'anything'
}

function objectShape(
  { properties, required = [], additionalProperties }: Schema,
  components: Readonly<Record<string, object>>,
  depth: number,
): string {
  const indent = '  '.repeat(depth + 1)
  const lines = Object.entries(properties ?? {}).map(([name, member]) => {
    const note = member.description === undefined ? '' : `  // ${member.description}`
    const optional = required.includes(name) ? '' : '?'
    return `${indent}${name}${optional}: ${nestedShape(member, components, depth + 1)}${note}`
  })
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0) {
    lines.push(`${indent}[name]: ${nestedShape(additionalProperties, components, depth + 1)}`)
  }
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
}

/** The page runs no script and loads nothing. */
export const REFERENCE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: object; readonly example?: object }>>

/** The document as a page of HTML: every operation with its parameters, body, answer and errors. */
export function referencePage(document: OpenApiDocument, mountPath: string): string {
  const all = [
    ...operationsOf(document.paths, (method, path) => [method.toUpperCase(), mountPath + path]),
    ...operationsOf(document.webhooks, (_, type) => ['Webhook', type]),
  ]
  const { title, version, description } = document.info as Record<string, string>
  const sections = document.tags.map(({ name }) => {
    const inside = all.filter(({ operation }) => operation.tags.includes(name))
    return html`<section>
      <h2>${name}</h2>
      ${raw(inside.map((each) => article(each, document)).join(''))}
    </section>`
  })
  const links = all.map(
    ({ method, path, operation }) =>
      html`<li>
        <a href="#${operation.operationId}"><b>${method}</b> ${path}</a>
      </li>`,
  )
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title ?? ''} ${version ?? ''}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <nav>
          <ul>
            ${raw(links.join(''))}
          </ul>
        </nav>
        <main>
          <h1>${title ?? ''} <small>${version ?? ''}</small></h1>
          <p>${description ?? ''}</p>
          ${raw(sections.join(''))}
        </main>
      </body>
    </html> `
}

function operationsOf(
  paths: OpenApiDocument['paths'],
  titleOf: (method: string, path: string) => readonly [string, string],
) {
  return Object.entries(paths).flatMap(([name, methods]) =>
    Object.entries(methods).map(([each, operation]) => {
      const [method, path] = titleOf(each, name)
      return { method, path, operation: operation as unknown as DescribedOperation }
    }),
  )
}

function article(
  { method, path, operation }: { method: string; path: string; operation: DescribedOperation },
  document: OpenApiDocument,
): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const rows = parameters.map(
    (each) =>
      html`<tr>
        <td><code>${each.name}</code></td>
        <td>${each.in}</td>
        <td>${each.required ? 'required' : ''}</td>
      </tr>`,
  )
  const answers = Object.entries(responses)
  const [status, success] = answers.find(([code]) => code.startsWith('2')) ?? ['', undefined]
  const errors = answers.filter(([code]) => code !== status)
  return [
    html`<article id="${operationId}">
      <h3><b>${method}</b> <code>${path}</code></h3>
      <p>${summary}. ${description}</p>
    </article>`,
    rows.length === 0
      ? ''
      : html`<h4>Parameters</h4>
          <table>
            ${raw(rows.join(''))}
          </table>`,
    requestBody === undefined
      ? ''
      : html`<h4>Body</h4>
          ${raw(shape(requestBody.content, document))} ${raw(example(requestBody.content))}`,
    html`<h4>Response ${status}</h4>
      ${raw(shape(success?.content, document))}`,
    html`<p class="errors">${errors.map(([code, { description: codes }]) => `${code} ${codes}`).join(' ')}</p></article>`,
  ].join('')
}

function shape(content: Content | undefined, document: OpenApiDocument): string {
  const schema = content?.['application/json']?.schema
  return schema === undefined ? '' : html`<pre>${shapeOf(schema, document.components.schemas)}</pre>`
}

function example(content: Content): string {
  const body = content['application/json']?.example
  return body === undefined
    ? ''
    : html`<h4>Example</h4>
        <pre>${JSON.stringify(body, null, 2)}</pre>`
}

class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

function raw(text: string): Raw {
  return new Raw(text)
}

/** A template that escapes every value unless it is marked as HTML. */
function html(parts: TemplateStringsArray, ...values: readonly (string | Raw)[]): string {
  return parts.reduce((text, part, index) => {
    const value = values[index - 1] ?? ''
    return text + (value instanceof Raw ? value.text : escaped(value)) + part
  })
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; display: grid; grid-template-columns: minmax(14rem, 22rem) 1fr }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; font-size: .8rem; border-right: 1px solid #8886 }
nav ul { list-style: none; padding: 0 1rem } main { padding: 0 2rem 4rem; max-width: 60rem }
article { border-top: 1px solid #8886; padding: .5rem 0 } h3 { font-weight: normal } h2 { text-transform: capitalize }
pre { overflow: auto; padding: .75rem; border: 1px solid #8886; border-radius: .25rem; font-size: .85rem }
td { padding-right: 1rem } .errors { font-size: .8rem; opacity: .8 } a { color: inherit }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto } }
`
