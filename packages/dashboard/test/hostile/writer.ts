import type { HostileText } from './strings.js'

/** What a server answered with. */
export type Json = Readonly<Record<string, unknown>>

/** One request: the fields that get the text, beside what the rest of its body is. */
export interface Writing {
  /** `PATCH /v2/tasks/{task_id}`, as in the OpenAPI document. */
  readonly operation: string
  /** In place of what is in braces. */
  readonly id?: string
  readonly fields: readonly string[]
  readonly rest?: Json
}

export interface Writer {
  /** Writes the text into all of the fields, and for a field that is refused a shorter one, and at last a harmless one. */
  write(writing: Writing, text: HostileText): Promise<Json>
  /** A request without hostile texts. */
  send(operation: string, id: string, body: Json): Promise<Json>
  /** The fields that were written, such as `POST /v2/tasks tags[]`. */
  readonly written: ReadonlySet<string>
  /** What the server took for each text, by the field. */
  acceptedIn(field: string): readonly string[]
}

interface Refusal {
  readonly error?: string | { readonly message: string; readonly details?: { readonly field?: string } }
}

/** The field that a refusal names: the sentence begins with it, and says more than `details.field` of what is in a list or an object. */
function fieldOf({ error = '' }: Refusal): string {
  const isSentence = typeof error === 'string'
  const first = /^[^\s[]+/.exec(isSentence ? error : error.message)?.[0] ?? ''
  const named = isSentence ? first : (error.details?.field ?? '')
  return first.startsWith(named) && named !== '' ? first : named
}

const HARMLESS = 2

/** The headers by which requests are known: of a program that works tasks, and of a person. */
interface Credentials {
  readonly worker: Readonly<Record<string, string>>
  readonly person: Readonly<Record<string, string>>
}

/** What programs may not do. */
const OF_PEOPLE = /^\/v2\/(?:approvals|workspaces|account|tasks\/\{task_id\}\/answer)/

/** Writes through the API as somebody who may do everything. */
export function createWriter(url: string, { worker, person }: Credentials): Writer {
  const written = new Set<string>()
  const accepted = new Map<string, string[]>()

  async function request(operation: string, id: string, body: Json) {
    const [method = '', path = ''] = operation.split(' ')
    const answer = await fetch(`${url}${path.replace(/\{\w+\}/, id)}`, {
      method,
      headers: { ...(OF_PEOPLE.test(path) ? person : worker), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, json: (await answer.json()) as Json }
  }

  /** @throws Error for a refusal that is no 4xx with one of the fields */
  async function write({ operation, id = '', fields, rest = {} }: Writing, text: HostileText): Promise<Json> {
    const tries = new Map(fields.map((field) => [field, 0]))
    for (;;) {
      const body = structuredClone(rest) as Record<string, unknown>
      for (const [field, tried] of tries) put(body, field.split('.'), formOf(text, field, tried))
      const { status, json } = await request(operation, id, body)
      if (status < 300) {
        for (const [field, tried] of tries) {
          const name = `${operation.split('?')[0]} ${field}`
          written.add(name)
          accepted.set(name, [...(accepted.get(name) ?? []), formOf(text, field, tried)])
        }
        return json
      }
      const refused = rootOf(fieldOf(json))
      const named = fields.filter((field) => isIn(rootOf(field), refused))
      if (status >= 500 || named.length === 0 || named.some((field) => tries.get(field) === HARMLESS))
        throw new Error(`${operation} answered ${status} to ${text.marker}: ${JSON.stringify(json)}`)
      for (const field of named) tries.set(field, (tries.get(field) ?? 0) + 1)
    }
  }

  return {
    write,
    written,
    acceptedIn: (field) => accepted.get(field) ?? [],
    async send(operation, id, body) {
      const { status, json } = await request(operation, id, body)
      if (status >= 300) throw new Error(`${operation} answered ${status}: ${JSON.stringify(json)}`)
      return json
    },
  }
}

/** The whole text at first, then a short one, then a harmless one. */
function formOf({ marker, whole, short }: HostileText, field: string, tried: number): string {
  const form = [whole, short][tried] ?? `harmless ${marker}`
  if (!field.endsWith('url')) return form
  return tried === HARMLESS ? `https://hooks.example/${marker}` : `https://hooks.example/?${form}`
}

/** A list is named with or without the place in it; the names of metadata are texts themselves. */
function rootOf(field: string): string {
  return field.replaceAll(/\[\d*\]/g, '').replace(/metadata.*/su, 'metadata')
}

/** Some operations name the field of a task without where the task is. */
const isIn = (field: string, refused: string): boolean =>
  field === refused || (refused !== '' && field.endsWith(`.${refused}`))

function put(target: Record<string, unknown>, [head = '', ...rest]: readonly string[], text: string): void {
  const isList = head.endsWith('[]')
  const name = head.startsWith('*') ? (isList ? 'list' : nameFor(text)) : head.replace('[]', '')
  if (rest.length === 0) {
    define(target, name, isList ? [text] : text)
    return
  }
  const [first] = isList ? ((target[name] ?? [{}]) as Record<string, unknown>[]) : []
  const inner = first ?? ((target[name] ?? {}) as Record<string, unknown>)
  put(inner, rest, text)
  define(target, name, isList ? [inner] : inner)
}

/** Metadata has names that users write. */
const LONGEST_NAME = 100
const nameFor = (text: string): string => (text.length > LONGEST_NAME ? 'name' : text)

/** `__proto__` is a name like any other. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}
