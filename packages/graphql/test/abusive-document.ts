import fc from 'fast-check'

/** A document that asks for too much in one way or another, and may be wrapped in harmless parts. */
export const abusiveDocument: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(deep(), aliased(), multiplied(), doubling(), cyclic(), decorated(), endless(), costly(), wide()),
    fc.constantFrom('query', 'query Named', 'mutation'),
    fc.array(
      fc.constantFrom('__typename', 'workspaces { id }', 'account { id }', '...on Query { __typename }'),
      {
        maxLength: 3,
      },
    ),
  )
  .map(([{ selections, definitions }, keyword, harmless]) =>
    [`${keyword} { ${[...harmless, selections].join(' ')} }`, ...definitions].join('\n'),
  )

interface Abuse {
  readonly selections: string
  readonly definitions: readonly string[]
}

const alone = (selections: string): Abuse => ({ selections, definitions: [] })

/** Selections in selections, of names that exist or do not, by fields or inline fragments of fields. */
function deep(): fc.Arbitrary<Abuse> {
  return fc
    .tuple(
      fc.integer({ min: 13, max: 400 }),
      fc.constantFrom('workspace(id: "a")', 'a', 'tasks', 'task(id: "b")'),
    )
    .map(([depth, field]) => alone(`${`${field} { `.repeat(depth)}id${' }'.repeat(depth)}`))
}

function aliased(): fc.Arbitrary<Abuse> {
  return fc
    .tuple(
      fc.integer({ min: 31, max: 300 }),
      fc.constantFrom('__typename', 'task(id: "a") { id }', 'nothing'),
    )
    .map(([count, field]) => alone(Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')))
}

/** Few aliases, and a fragment that is spread so often that there are many. */
function multiplied(): fc.Arbitrary<Abuse> {
  return fc
    .tuple(fc.integer({ min: 5, max: 20 }), fc.integer({ min: 10, max: 60 }))
    .map(([aliases, spreads]) => ({
      selections: '...F '.repeat(spreads),
      definitions: [
        `fragment F on Query { ${Array.from({ length: aliases }, (_, i) => `b${i}: __typename`).join(' ')} }`,
      ],
    }))
}

/** Each fragment spreads the next one several times: it expands to `width ** levels` fields. */
function doubling(): fc.Arbitrary<Abuse> {
  return fc
    .tuple(fc.integer({ min: 10, max: 100 }), fc.integer({ min: 2, max: 6 }))
    .map(([levels, width]) => ({
      selections: '...F0',
      definitions: Array.from({ length: levels }, (_, level) =>
        level === levels - 1
          ? `fragment F${level} on Query { __typename }`
          : `fragment F${level} on Query { ${`...F${level + 1} `.repeat(width)} }`,
      ),
    }))
}

function cyclic(): fc.Arbitrary<Abuse> {
  return fc.tuple(fc.integer({ min: 1, max: 60 }), fc.boolean()).map(([length, isUsed]) => ({
    selections: isUsed ? '...F0' : '__typename',
    definitions: Array.from(
      { length },
      (_, i) =>
        `fragment F${i} on Query { workspace(id: "a") { ...on Workspace { id } } ...F${(i + 1) % length} }`,
    ),
  }))
}

function decorated(): fc.Arbitrary<Abuse> {
  return fc
    .tuple(
      fc.integer({ min: 31, max: 300 }),
      fc.constantFrom('@skip(if: true)', '@include(if: false)', '@nobody'),
    )
    .map(([count, directive]) => alone(`__typename ${`${directive} `.repeat(count)}`))
}

/** More tokens than are parsed, of whatever kind. */
function endless(): fc.Arbitrary<Abuse> {
  return fc
    .tuple(
      fc.integer({ min: 2_000, max: 20_000 }),
      fc.constantFrom('id ', '{', '"text" ', '...', 'a:a ', '@a ', '[', '$a '),
    )
    .map(([count, token]) => alone(token.repeat(count)))
}

function costly(): fc.Arbitrary<Abuse> {
  const pages = fc.array(
    fc.constantFrom('tasks(first: 100) { nodes { logs { message } outputs { name } } }'),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  const writes = fc
    .integer({ min: 21, max: 29 })
    .map((count) => Array.from({ length: count }, (_, i) => `w${i}: deleteTask(id: "a")`))
  return fc.oneof(pages, writes).map((fields) => ({
    selections: '__typename',
    definitions: [
      `fragment Q on Query { ${fields.join(' ')} }`,
      `fragment M on Mutation { ${fields.join(' ')} }`,
    ],
  }))
}

function wide(): fc.Arbitrary<Abuse> {
  return fc
    .tuple(fc.integer({ min: 501, max: 1_900 }), fc.constantFrom('__typename', 'id', 'tasks'))
    .map(([count, field]) => alone(`${field} `.repeat(count)))
}
