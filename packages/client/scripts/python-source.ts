import { operationsOf, type Document, type DocumentedOperation, type Schema } from './wire-source.js'

type Direction = 'input' | 'output'

const keywords = new Set(['from', 'in', 'is', 'class', 'import', 'global'])
const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[_.])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** TypedDicts of the document, by name. Objects within others get names of their own. */
class PythonTypes {
  readonly declared = new Map<string, string>()

  typeOf(schema: Schema, direction: Direction, name: string): string {
    const { $ref, enum: values, anyOf, allOf, type, format } = schema
    if ($ref !== undefined) return componentName($ref.slice($ref.lastIndexOf('/') + 1))
    if ('const' in schema) return `Literal[${literal(schema.const)}]`
    if (values !== undefined) return `Literal[${values.map(literal).join(', ')}]`
    if (anyOf !== undefined) {
      return union(
        anyOf.map((each, index) => this.typeOf(each, direction, index === 0 ? name : `${name}${index + 1}`)),
      )
    }
    if (allOf !== undefined) return this.typeOf(merged(allOf), direction, name)
    if (Array.isArray(type)) {
      return union(type.map((each: string) => this.typeOf({ ...schema, type: each }, direction, name)))
    }
    if (type === 'string') {
      // The values of a query are text; a number is written the same way.
      if (schema.pattern?.startsWith('^[1-9]\\d')) return 'int | str'
      if (direction === 'output') return 'str'
      return format === 'date-time' ? 'datetime | str' : format === 'date' ? 'date | str' : 'str'
    }
    if (type === 'array') {
      const items = this.typeOf(schema.items ?? {}, direction, `${name}Item`)
      return `${direction === 'input' ? 'Sequence' : 'list'}[${items}]`
    }
    if (type === 'object') return this.#objectOf(schema, direction, name)
    const plain: Record<string, string> = { integer: 'int', number: 'float', boolean: 'bool', null: 'None' }
    return plain[String(type)] ?? 'Any'
  }

  #objectOf(schema: Schema, direction: Direction, name: string): string {
    if (Object.keys(schema.properties ?? {}).length > 0) {
      this.declare(name, schema, direction)
      return name
    }
    const rest = schema.additionalProperties
    const values = typeof rest === 'object' ? this.typeOf(rest, direction, `${name}Value`) : 'Any'
    return `${direction === 'input' ? 'Mapping' : 'dict'}[str, ${values}]`
  }

  declare(name: string, schema: Schema, direction: Direction): void {
    const members = membersOf(schema, direction).map(([key, each, isNeeded]) => {
      const type = this.typeOf(each, direction, `${name}${pascal(key)}`)
      return `${JSON.stringify(key)}: ${isNeeded ? type : `NotRequired[${type}]`}`
    })
    // The functional form, because a key can be a word of Python.
    const text = `${name} = TypedDict(${JSON.stringify(name)}, {${members.join(', ')}})`
    const earlier = this.declared.get(name)
    if (earlier !== undefined && earlier !== text) throw new Error(`two types are named ${name}`)
    this.declared.set(name, text)
  }
}

function merged(all: readonly Schema[]): Schema {
  return {
    type: 'object',
    properties: Object.assign({}, ...all.map(({ properties }) => properties)) as Record<string, Schema>,
    required: all.flatMap(({ required = [] }) => required),
  }
}

function membersOf(schema: Schema, direction: Direction): [string, Schema, boolean][] {
  return Object.entries(schema.properties ?? {})
    .filter(([, each]) => direction === 'output' || Object.keys(each).length > 0)
    .map(([key, each]) => [key, each, schema.required?.includes(key) === true])
}

function componentName(name: string): string {
  return name === 'Error' ? 'ErrorBody' : name
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

function schemaOf(content: Readonly<Record<string, { readonly schema: Schema }>> | undefined): Schema {
  return Object.values(content ?? {})[0]?.schema ?? {}
}

/** A method of the Python client, such as `tasks.list_all`, and its operation. */
export interface PythonMethod {
  readonly name: string
  readonly operationId: string
  readonly isPaged: boolean
}

/** What `writeToBoard` takes and answers depends on the action. */
const boardWrites: Readonly<Record<string, readonly [body: string, answer: string]>> = {
  'board.add': ['BoardAdd', 'BoardTaskWritten'],
  'board.move': ['BoardMove', 'BoardTaskWritten'],
  'board.chat': ['BoardChat', 'BoardChatReply'],
}

/** Events that are sent to webhooks alone. */
const webhookOnly = ['agent.alert', 'email.received', 'order.new']

/** The messages of the realtime channel that are no events. */
const otherMessages = `RealtimeTaskProgress = TypedDict("RealtimeTaskProgress", {"type": Literal["task.progress"], "channel": str, "workspace_id": str, "seq": int, "timestamp": str, "task_id": str, "progress": int})
RealtimeAgentStatus = TypedDict("RealtimeAgentStatus", {"type": Literal["agent.status"], "channel": str, "workspace_id": str, "seq": int, "timestamp": str, "agent_id": str, "status": Literal["available", "busy", "offline"]})
RealtimeTaskLog = TypedDict("RealtimeTaskLog", {"type": Literal["task.log"], "channel": str, "workspace_id": str, "timestamp": str, "task_id": str, "level": Literal["debug", "info", "warn", "error"], "message": str})
RealtimeGap = TypedDict("RealtimeGap", {"type": Literal["gap"], "channel": str, "workspace_id": str, "from": int, "to": int})
RealtimeSubscribed = TypedDict("RealtimeSubscribed", {"type": Literal["subscribed"], "channel": str, "seq": int | dict[str, int], "resumed": bool})`

/** The messages of a subscription, and their union. */
function realtimeTypes(eventTypes: readonly string[]): string {
  const names = eventTypes.map((type) => `Realtime${pascal(type)}`)
  const events = eventTypes.map((type, index) => {
    const position = '"channel": str, "workspace_id": str, "seq": int, "timestamp": str'
    const members = `"type": Literal["${type}"], ${position}, "data": ${pascal(type)}EventData`
    return `${names[index]} = TypedDict("${names[index]}", {${members}})`
  })
  const others = [...otherMessages.matchAll(/^\w+/gm)].map(([name]) => name)
  return `${events.join('\n')}\n${otherMessages}\nRealtimeMessage = Union[${[...names, ...others].join(', ')}]`
}

/** The stub of the methods of `AsyncClient`, from that of the methods of `Client`. */
function asyncMethods(stub: string): string {
  return stub
    .replaceAll(/^ {4}def (.* -> )(?!Iterator)/gm, '    async def $1')
    .replaceAll('-> Iterator[', '-> AsyncIterator[')
    .replaceAll(/^(class |    \w+: )(\w*Methods)/gm, '$1Async$2')
    .replace('import Iterator', 'import AsyncIterator')
}

/** The source of `wire.pyi`, `methods.pyi` and `async_methods.pyi` of the Python client. */
export function pythonSource(
  document: Document,
  methods: readonly PythonMethod[],
): { readonly wire: string; readonly methods: string; readonly asyncMethods: string } {
  const types = new PythonTypes()
  const inputs = JSON.stringify(operationsOf(document).map(({ requestBody }) => requestBody ?? null))
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const direction = inputs.includes(`"#/components/schemas/${name}"`) ? 'input' : 'output'
    types.declare(componentName(name), schema, direction)
  }
  const events = Object.entries(document.webhooks).map(([type, { post }]) => {
    const name = `${pascal(type)}Event`
    types.declare(name, schemaOf(post?.requestBody?.content), 'output')
    return name
  })
  const operations = new Map(operationsOf(document).map((each) => [each.operationId, each]))
  const groups = new Map<string, string[]>()
  for (const method of methods) {
    const operation = operations.get(method.operationId)
    if (operation === undefined) throw new Error(`${method.name}: there is no ${method.operationId}`)
    const group = method.name.split('.').slice(0, -1).join('.')
    groups.set(group, [...(groups.get(group) ?? []), signature(types, document, method, operation)])
  }
  for (const group of groups.keys()) {
    const parts = group.split('.')
    const outer = parts.slice(0, -1).join('.')
    if (group === '') continue
    const holder = groups.get(outer) ?? []
    groups.set(outer, [`    ${parts.at(-1)}: ${className(group)}`, ...holder])
  }
  const about =
    '# Made by packages/client/scripts/generate-wire.ts from the OpenAPI document, and not changed by hand.\n'
  const classes = [...groups].map(([group, lines]) => `class ${className(group)}:\n${lines.join('\n')}`)
  const eventTypes = Object.keys(document.webhooks).filter((type) => !webhookOnly.includes(type))
  const stub = `${about}from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from .calls import Retry
from .wire import *

${classes.join('\n\n')}
`
  return {
    wire: `${about}from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict, Union

from typing_extensions import NotRequired

${[...types.declared.values()].join('\n')}
WebhookEvent = Union[${events.join(', ')}]
${realtimeTypes(eventTypes)}
`,
    methods: stub,
    asyncMethods: asyncMethods(stub),
  }
}

function className(group: string): string {
  return group === '' ? 'Methods' : `${pascal(group)}Methods`
}

function signature(
  types: PythonTypes,
  document: Document,
  { name, operationId, isPaged }: PythonMethod,
  operation: DocumentedOperation,
): string {
  const { parameters = [], requestBody, responses } = operation
  const base = pascal(operationId)
  const ids = parameters.filter((each) => each.in === 'path').map((each) => `${each.name}: str`)
  const [writes, answers] = boardWrites[name] ?? []
  const body =
    writes === undefined ? schemaOf(requestBody?.content) : (document.components.schemas[writes] ?? {})
  const component =
    body.$ref === undefined ? body : document.components.schemas[body.$ref.split('/').at(-1) ?? '']
  const fields = membersOf(component ?? {}, 'input').map(([key, each, isNeeded]) =>
    parameter(key, types.typeOf(each, 'input', `${writes ?? base}${pascal(key)}`), isNeeded),
  )
  const isFixed = (key: string): boolean => operation.path === '/api/board' && key === 'action'
  const query = parameters
    .filter((each) => each.in === 'query' && !isFixed(each.name))
    .map((each) =>
      parameter(each.name, types.typeOf(each.schema, 'input', `${base}${pascal(each.name)}`), each.required),
    )
  const taken = requestBody === undefined ? query : fields
  const options = isPaged ? [] : ['idempotency_key: str | None = None']
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const [media] = Object.keys(success?.content ?? {})
  const schema = schemaOf(success?.content)
  let answer = answers ?? 'None'
  if (answers === undefined && operationId === 'getReference') answer = 'str'
  else if (answers === undefined && media?.startsWith('application/json;')) answer = 'dict[str, Any]'
  else if (answers === undefined && media !== undefined)
    answer = types.typeOf(schema, 'output', `${base}Answer`)
  if (isPaged) {
    const list = Object.entries(schema.properties ?? {}).find(([, each]) => each.type === 'array')
    answer = `Iterator[${types.typeOf(list?.[1].items ?? {}, 'output', `${base}Answer${pascal(list?.[0] ?? '')}Item`)}]`
  }
  const named = [
    ...taken.filter((each) => !each.includes(' = ')),
    ...taken.filter((each) => each.includes(' = ')),
  ]
  const all = ['self', ...ids, '*', ...named, ...options, 'retry_policy: Retry | None = None']
  return `    def ${name.split('.').at(-1)}(${all.join(', ')}) -> ${answer}: ...`
}

function parameter(key: string, type: string, isNeeded: boolean): string {
  return `${keywords.has(key) ? `${key}_` : key}: ${type}${isNeeded ? '' : ' = ...'}`
}
