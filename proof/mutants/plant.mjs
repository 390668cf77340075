import ts from 'typescript'

/** A name or a number, the signs of an operator, or another sign. */
const WORD = /[\p{L}\p{N}_$]+|[!%&*+\-./<=>?|]+|\S/gu
const ARROW = / ->(?: |$)/

/**
 * The text of a source with a fault in it. A fault is planted by the names and words of the code, so that it outlives changes of everything
 * around them: `within` is a function, class or constant, or several of them from the outside in (`createBoard.claim`), in TypeScript or
 * in SQL (`taskboard.delete_parts`). `change` is one of
 *
 * - `words -> others`: the words, which occur there once, become the others
 * - `drop words`: the smallest part with these words goes that can: a statement, one side of `&&` or `||`, an argument, an element, a
 *   member; or, when they begin with a dot, a call at the end of a chain
 * - `earlier words`: the statement with these words comes before the one that it follows
 *
 * @throws Error that names the word that is gone.
 */
export function plant(text, within, change) {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const scope = within.startsWith('taskboard.') ? sqlFunction(text, within) : declarationOf(source, within)
  const splice = ([begin, end], by) => text.slice(0, begin) + by + text.slice(end)
  const find = (words) => placeOf(text, scope, words, within)
  if (change.startsWith('drop ')) return splice(removable(source, find(change.slice(5)), change), '')
  if (change.startsWith('earlier ')) {
    const [before, own] = neighbours(source, find(change.slice(8)), change)
    return splice([before.getStart(), own.end], `${own.getText()}\n${before.getText()}`)
  }
  const [words, others] = change.split(ARROW)
  if (others === undefined) throw new Error(`“${change}” is no change`)
  return splice(find(words), others)
}

/** Where the words are. */
function placeOf(text, [from, to], words, within) {
  const found = [...text.slice(from, to).matchAll(WORD)]
  const wanted = words.match(WORD)
  const places = found.flatMap((_, at) =>
    wanted.every((word, n) => found[at + n]?.[0] === word) ? [[at, at + wanted.length - 1]] : [],
  )
  if (places.length === 1) {
    const [[first, last]] = places
    return [from + found[first].index, from + found[last].index + found[last][0].length]
  }
  const absent = wanted.find((word) => found.every(([other]) => other !== word))
  if (absent !== undefined) throw new Error(`${within} has no “${absent}”`)
  throw new Error(`${within} has “${words}” ${places.length} times`)
}

/** The place of a declaration. */
function declarationOf(source, within) {
  let scope = source
  for (const name of within.split('.')) scope = outermost(scope, name, within)
  return [scope.getStart(), scope.end]
}

/** The declaration of a name that is in the fewest others. Types declare nothing that runs. */
function outermost(scope, name, within) {
  const found = []
  const visit = (node, depth) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    const declares = ts.isVariableDeclaration(node) || ts.isFunctionLike(node) || ts.isClassLike(node)
    if ((declares || ts.isPropertyAssignment(node)) && node.name?.getText() === name)
      (found[depth] ??= []).push(node)
    ts.forEachChild(node, (child) => visit(child, depth + (node.name === undefined ? 0 : 1)))
  }
  ts.forEachChild(scope, (node) => visit(node, 0))
  const [nodes = []] = found.filter((each) => each !== undefined)
  if (nodes.length !== 1) throw new Error(`“${name}” of ${within} is declared ${nodes.length} times`)
  return nodes[0]
}

/** The place of a function in SQL: the last of that name, which replaces those before. */
function sqlFunction(text, name) {
  const last = [...text.matchAll(new RegExp(`^create (?:or replace )?function ${name}\\b`, 'gm'))].at(-1)
  if (last === undefined) throw new Error(`no function ${name}`)
  return [last.index, text.indexOf('\n$$', last.index)]
}

/** The nodes that have a place within them, the smallest first. */
function nodesAround(source, [begin, end]) {
  const found = []
  const visit = (node) => {
    if (node.getStart() > begin || node.end < end) return
    found.unshift(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const isInList = (node) =>
  ts.isBlock(node.parent) || ts.isSourceFile(node.parent) || ts.isCaseOrDefaultClause(node.parent)

function neighbours(source, place, change) {
  const own = nodesAround(source, place).find((node) => ts.isStatement(node) && isInList(node))
  const before = own?.parent.statements[own.parent.statements.indexOf(own) - 1]
  if (before === undefined) throw new Error(`“${change}” has no statement before it`)
  return [before, own]
}

function removable(source, place, change) {
  const isEndOfChain = /^drop \.\w/.test(change)
  for (const node of nodesAround(source, place)) {
    const cut = isEndOfChain ? cutOfCall(node) : cutOf(node)
    if (cut !== null) return cut
  }
  throw new Error(`nothing goes by “${change}”`)
}

const cutOfCall = (node) =>
  ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)
    ? [node.expression.expression.end, node.end]
    : null

function cutOf(node) {
  const { parent } = node
  if (parent === undefined) return null
  if (ts.isStatement(node) && isInList(node)) return [node.getStart(), node.end]
  if (ts.isIfStatement(parent) && node === parent.elseStatement) return [parent.thenStatement.end, node.end]
  if (ts.isBinaryExpression(parent) && /^(&&|\|\|)$/.test(parent.operatorToken.getText()))
    return node === parent.left ? [node.getStart(), parent.right.getStart()] : [parent.left.end, node.end]
  const list = parent.properties ?? parent.elements ?? parent.arguments ?? []
  const at = list.indexOf(node)
  if (at < 0) return null
  return at > 0 ? [list[at - 1].end, node.end] : [node.getStart(), list[1]?.getStart() ?? node.end]
}
