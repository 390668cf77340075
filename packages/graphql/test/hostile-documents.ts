/** The most characters and tokens that a document may have by default, with room for what is around. */
const CHARACTERS = 99_000
const TOKENS = 1_900

type Make = (index: number) => string

const times = (text: string, characters = CHARACTERS): string => text.repeat(characters / text.length)
/** As often as tokens allow, where one has `tokensOfOne`. */
const often = (tokensOfOne: number, make: Make, most = Infinity): string =>
  Array.from({ length: Math.min(most, Math.floor(TOKENS / tokensOfOne)) }, (_, index) => make(index)).join(
    ' ',
  )

const fragment = (name: string, body: string): string => `fragment ${name} on Query{${body}}`
const leaves = (count: number): string => Array.from({ length: count }, () => '__typename').join(' ')

/** Documents that take long to parse, measure, validate or report on. */
export const hostileDocuments: Readonly<Record<string, string>> = {
  ...selections(),
  ...fragments(),
  ...tokens(),
  ...reports(),
}

function selections(): Readonly<Record<string, string>> {
  return {
    'deep selections': nested('workspace(id: "a")', TOKENS / 8),
    'deep selections, more than are parsed': nested('a', CHARACTERS / 4),
    'deep selections, not ended': times('{a'),
    'deep inline fragments': nested('... on Query', TOKENS / 5),
    'deep values': `{ task(id: ${'['.repeat(TOKENS / 2 - 10)}${']'.repeat(TOKENS / 2 - 10)}) { id } }`,
    'deep objects': `{ task(id: ${'{a:'.repeat(TOKENS / 4 - 10)}1${'}'.repeat(TOKENS / 4 - 10)}) { id } }`,
    'deep types of a variable': `query ($a: ${'['.repeat(TOKENS / 2 - 10)}ID${']'.repeat(TOKENS / 2 - 10)}) { id }`,
    'many fields': `{ ${often(1, () => '__typename', 500)} }`,
    'many fields with fields': `{ ${often(4, () => 'workspaces{id}', 250)} }`,
    'many fields with many fields': `{ ${often(24, () => `workspaces{${'id '.repeat(21)}}`, 22)} }`,
    'many fields with arguments': `{ ${often(9, () => 'task(id:"a"){id}')} }`,
    'many fields with different arguments': `{ ${often(9, (index) => `task(id:"${index}"){id}`)} }`,
    'many fields with as many arguments': `{ ${often(60, () => `task(${'id:"a" '.repeat(18)}){id}`)} }`,
    'one field with many arguments': `{ task(${often(3, (index) => `a${index}:1`)}) { id } }`,
    'as many aliases as there may be': `{ ${often(1, (index) => `a${index}:workspaces{id createdAt}`, 30)} }`,
    'many aliases': `{ ${often(3, (index) => `a${index}:__typename`)} }`,
    'the same alias': `{ ${often(3, () => 'a:__typename')} }`,
    'many inline fragments': `{ ${often(6, () => '...on Query{__typename}', 300)} }`,
    'what may be measured': `{ ${often(1, (index) => `${index < 30 ? `a${index}:` : ''}tasks(first:1){nodes{${'id '.repeat(8)}}}`, 40)} }`,
    'the schema': '{ __schema { types { fields { args { type { ofType { ofType { name } } } } } } } }',
  }
}

function nested(field: string, levels: number): string {
  return `{${`${field}{`.repeat(levels)}id${'}'.repeat(levels)}}`
}

function fragments(): Readonly<Record<string, string>> {
  return {
    'a fragment spread many times': `{ ${often(2, () => '...F', 450)} } ${fragment('F', '__typename')}`,
    'many fragments spread once': `{ ${often(9, (index) => `...F${index}`)} } ${often(9, (index) => fragment(`F${index}`, '__typename'))}`,
    'many fragments spread each by each': fragmentsOfFragments(20, 20),
    'many fragments in a chain': `{ ...F0 } ${often(10, (index) => fragment(`F${index}`, `__typename ...F${index + 1}`))}`,
    'many fragments in a circle': `{ ...F0 } ${often(10, (index) => fragment(`F${index}`, `__typename ...F${(index + 1) % 189}`))}`,
    'fragments that double': `{ ...F0 } ${often(12, (index) => fragment(`F${index}`, `...F${index + 1} ...F${index + 1}`))}`,
    'many fragments that nobody spreads': `{ __typename } ${often(8, (index) => fragment(`F${index}`, '__typename'))}`,
    'fragments of the same name': `{ ...F } ${often(8, () => fragment('F', '__typename'))}`,
    'many operations of many fragments': `${often(12, (index) => `query Q${index}{...F0}`)} ${often(20, (index) => fragment(`F${index}`, `__typename ...F${index + 1}`))}`,
    'many operations': often(5, (index) => `query Q${index}{__typename}`),
    'operations of the same name': often(5, () => 'query Q{__typename}'),
    'spreads of what is not there': `{ ${often(2, (index) => `...F${index}`)} }`,
  }
}

/** Each spreads those after it, within the limits. */
function fragmentsOfFragments(count: number, width: number): string {
  const names = Array.from({ length: count }, (_, index) => `F${index}`)
  const texts = names.map(
    (name, index) =>
      `fragment ${name} on Query{${leaves(width)} ${names[index + 1] === undefined ? '' : `...${names[index + 1]}`}}`,
  )
  return `{ ${names.map((name) => `...${name}`).join(' ')} } ${texts.join(' ')}`
}

function tokens(): Readonly<Record<string, string>> {
  const variables = (make: Make): string => often(4, make)
  return {
    'many variables': `query (${variables((index) => `$a${index}:Int`)}) { __typename }`,
    'many variables of types that are not there': `query (${variables((index) => `$a${index}:T${index}`)}) { __typename }`,
    'many variables that are not declared': `{ ${often(8, (index) => `task(id:$a${index}){id}`)} }`,
    'the same variable': `query (${variables(() => '$a:Int')}) { __typename }`,
    'many variables that are used': `query (${often(12, (index) => `$a${index}:ID!`)}) { ${often(12, (index) => `task(id:$a${index}){id}`)} }`,
    'as many directives as there may be': `{ __typename ${'@skip(if:true) '.repeat(30)} }`,
    'many directives': `{ __typename ${often(6, () => '@skip(if:true)')} }`,
    'many directives that are not there': `{ __typename ${often(2, (index) => `@d${index}`)} }`,
    'a directive with many arguments': `{ __typename @skip(${often(3, () => 'if:true')}) }`,
    'a long text': `{ task(id: "${times('x')}") { id } }`,
    'a long text of escapes': `{ task(id: "${times('\\u0041')}") { id } }`,
    'a long text that does not end': `{ task(id: "${times('x')}`,
    'a block of many lines': `{ task(id: """${times('\n ')}x""") { id } }`,
    'a block of quotation marks': `{ task(id: """${times('\\"""')}""") { id } }`,
    'a long text for an enum': `{ tasks(status: "${times('x')}") { nodes { id } } }`,
    'a long number': `{ tasks(first: ${times('1')}) { nodes { id } } }`,
    'a long fraction': `{ tasks(first: 0.${times('1')}) { nodes { id } } }`,
    'a long exponent': `{ tasks(first: 1e${times('9')}) { nodes { id } } }`,
    'a long name': `{ ${times('x')} }`,
    'a long type': `query ($a: ${times('x')}) { id }`,
    'a long directive': `{ __typename @${times('x')} }`,
    'a long argument': `{ task(${times('x')}: 1) { id } }`,
    'a long enum': `{ tasks(status: ${times('X')}) { nodes { id } } }`,
    'a long comment': `#${times('x')}\n{ __typename }`,
    'many comments': `${times('#\n')}{ __typename }`,
    commas: `${times(',')}{ __typename }`,
    'byte order marks': `${times('\ufeff')}{ __typename }`,
    'many tokens': times('a '),
    'many braces': times('{'),
    'many dots': times('...'),
    'text without an end, many times': times('"'),
    'characters that are no token': times('\u00fc'),
    'more than is parsed': times('{ __typename } ', 950_000),
  }
}

/** Each error has its line number, and lines are counted for it. */
function reports(): Readonly<Record<string, string>> {
  const lines = times('\n', 80_000)
  return Object.fromEntries(
    Object.entries({
      'a fault': '{ nothing }',
      'a syntax error': '{ } }',
      'many faults': `{ ${often(1, (index) => `f${index}`, 450)} }`,
      'many faults of a kind': `{ ${often(1, () => 'tasc', 450)} }`,
      'many arguments that are not there': `{ task(id: "a" ${often(3, (index) => `i${index}: 1`)}) { id } }`,
      'many variables that are not used': `query (${often(4, (index) => `$a${index}:Int`)}) { __typename }`,
      'many fields that conflict': `{ ${often(9, (index) => `task(id:"${index}"){id}`)} }`,
      'many fragments that are not used': `{ __typename } ${often(8, (index) => `fragment F${index} on Query{__typename}`)}`,
    }).flatMap(([name, text]) => [
      [`${name} after many lines`, lines + text],
      [`${name} after many lines of another kind`, times('\r\n', 80_000) + text],
    ]),
  )
}
