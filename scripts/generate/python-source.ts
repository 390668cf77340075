import { clientMethods, type ClientMethod, groupOf, lastOf } from './client-methods.js'
import { componentName, contentOf, type Document, operationsOf, type Schema, successOf } from './document.js'

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

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

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

/** The name of a method of the client in Python. */
export function pythonName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The sources of the Python client that are made, by the names of their files. */
export function pythonSources(document: Document): Readonly<Record<string, string>> {
  const methods = clientMethods(document)
  const types = new PythonTypes()
  const inputs = JSON.stringify(operationsOf(document).map(({ requestBody }) => requestBody ?? null))
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const direction = inputs.includes(`"#/components/schemas/${name}"`) ? 'input' : 'output'
    types.declare(componentName(name), schema, direction)
  }
  const events = Object.entries(document.webhooks).map(([type, { post }]) => {
    const name = `${pascal(type)}Event`
    types.declare(name, contentOf(post.requestBody?.content), 'output')
    return name
  })
  const stub = methodStub(document, methods, types)
  const realtime = Object.entries(document.webhooks).filter(([, { post }]) => post['x-taskboard'].realtime)
  return {
    'operations.py': operationTable(methods),
    'wire.pyi': `${MADE}
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict, Union

from typing_extensions import NotRequired

${[...types.declared.values()].join('\n')}
WebhookEvent = Union[${events.join(', ')}]
${realtimeTypes(realtime.map(([type]) => type))}
`,
    'methods.pyi': stub,
    'async_methods.pyi': asyncMethods(stub),
  }
}

const MADE = '# Made by `npm run generate` from the operations of API v2, and not in git.'

function operationTable(methods: readonly ClientMethod[]): string {
  const rows = methods.map(({ name, operation: { operationId }, request, about, pagesOf }) => {
    const given = [operationId, request, about].map((word) => JSON.stringify(word))
    return `    ${JSON.stringify(pythonName(name))}: operation(${given.join(', ')}, is_paged=${pagesOf === undefined ? 'False' : 'True'}),`
  })
  return `${MADE}
"""Every method of the client, by its name."""

from __future__ import annotations

from typing import Dict

from .operation import Operation, operation

OPERATIONS: Dict[str, Operation] = {
${rows.join('\n')}
}
`
}

function methodStub(document: Document, methods: readonly ClientMethod[], types: PythonTypes): string {
  const groups = new Map<string, string[]>()
  for (const method of methods) {
    const group = pythonName(groupOf(method.name))
    groups.set(group, [...(groups.get(group) ?? []), signature(types, document, method)])
  }
  for (const group of groups.keys()) {
    if (group === '') continue
    const outer = groupOf(group)
    groups.set(outer, [`    ${lastOf(group)}: ${className(group)}`, ...(groups.get(outer) ?? [])])
  }
  const classes = [...groups].map(([group, lines]) => `class ${className(group)}:\n${lines.join('\n')}`)
  return `${MADE}
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from .calls import Retry
from .wire import *

${classes.join('\n\n')}
`
}

function className(group: string): string {
  return group === '' ? 'Methods' : `${pascal(group)}Methods`
}

function signature(
  types: PythonTypes,
  document: Document,
  { name, operation, about, pagesOf, action, request }: ClientMethod,
): string {
  const { operationId, parameters = [], requestBody } = operation
  const base = pascal(operationId)
  const ids = parameters.filter((each) => each.in === 'path').map((each) => `${each.name}: str`)
  const body = action?.body === undefined ? contentOf(requestBody?.content) : { $ref: action.body }
  const component = body.$ref === undefined ? body : document.components.schemas[lastOfPath(body.$ref)]
  const fields = membersOf(component ?? {}, 'input').map(([key, each, isNeeded]) =>
    parameter(key, types.typeOf(each, 'input', `${action?.body ?? base}${pascal(key)}`), isNeeded),
  )
  const query = parameters
    .filter((each) => each.in === 'query' && !(action !== undefined && each.name === 'action'))
    .map((each) =>
      parameter(each.name, types.typeOf(each.schema, 'input', `${base}${pascal(each.name)}`), each.required),
    )
  const taken = requestBody === undefined ? query : fields
  const named = [
    ...taken.filter((each) => !each.includes(' = ')),
    ...taken.filter((each) => each.includes(' = ')),
  ]
  const options = pagesOf === undefined ? ['idempotency_key: str | None = None'] : []
  const all = ['self', ...ids, '*', ...named, ...options, 'retry_policy: Retry | None = None']
  const answer = action?.answer ?? answerType(types, operation, pagesOf !== undefined, request)
  return `    def ${pythonName(lastOf(name))}(${all.join(', ')}) -> ${answer}:\n        ${docString(about)}\n        ...`
}

function answerType(
  types: PythonTypes,
  operation: ClientMethod['operation'],
  isPaged: boolean,
  request: string,
): string {
  const base = `${pascal(operation.operationId)}Answer`
  const [media, schema = {}] = successOf(operation)
  if (isPaged) {
    const [name = '', list] =
      Object.entries(schema.properties ?? {}).find(([, each]) => each.type === 'array') ?? []
    return `Iterator[${types.typeOf(list?.items ?? {}, 'output', `${base}${pascal(name)}Item`)}]`
  }
  if (media === undefined) return 'None'
  if (request.endsWith(' text')) return 'str'
  return media.startsWith('application/json;') ? 'dict[str, Any]' : types.typeOf(schema, 'output', base)
}

function lastOfPath(path: string): string {
  return path.split('/').at(-1) ?? ''
}

function docString(text: string): string {
  return `"""${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"""`
}

function parameter(key: string, type: string, isNeeded: boolean): string {
  return `${keywords.has(key) ? `${key}_` : key}: ${type}${isNeeded ? '' : ' = ...'}`
}
