// Finds the prose in a file: paragraphs of Markdown, doc comments and strings of sources. Code is replaced by as many `X`, so that
// places stay what they are in the file.
import ts from 'typescript'

const filled = (found) => found.replaceAll(/[^\n]/g, 'X')
const emptied = (found) => found.replaceAll(/[^\n]/g, ' ')
/** The end of a block, as long as the text that it replaces. */
const END = '\0'
const broken = (found) => END.repeat(found.length)

/** The blocks of a text with their places in it. A block is a paragraph, an item of a list, a heading or a cell of a table. */
export function blocksOf(text, start = 0) {
  const blocks = []
  let place = 0
  for (const part of text.split(/(\0+|\n[ \t]*(?=\n))/)) {
    const isHeading = /^\s*#/.test(part)
    if (/[^\s\0]/.test(part)) blocks.push({ text: part, start: start + place, isHeading })
    place += part.length
  }
  return blocks
}

/** The blocks of a page. */
function markdownBlocks(text) {
  const ended = text
    .replaceAll(/^[ \t]*\|.*\|[ \t]*$/gm, (row) => row.replaceAll('|', END))
    .replaceAll(/^[ \t]*(?:[-*+]|\d+\.)(?=\s)/gm, broken)
    .replaceAll(/^[ \t]*>/gm, emptied)
  let start = 0
  return ended.split(/^(?=#)|(?<=^#.*\n)/m).flatMap((part) => {
    const blocks = blocksOf(part, start)
    start += part.length
    return blocks
  })
}

const withoutInlineCode = (text) => text.replaceAll(/(`+)[^`\n](?:[^`]*[^`])?\1(?!`)|(`)[^`]\2/g, filled)

/** The prose of a Markdown file. */
export function proseOfMarkdown(source) {
  const text = withoutInlineCode(
    source
      .replace(/^---\n[\s\S]*?\n---\n/, emptied)
      .replaceAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t]*\1[ \t]*$/gm, broken)
      .replaceAll(/<!--[\s\S]*?-->/g, broken),
  )
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, filled)
    .replaceAll(/(?<=\])\([^)\s]*(?:\s"[^"]*")?\)/g, emptied)
    .replaceAll(/https?:\/\/[^\s|)]+/g, filled)
    .replaceAll(/<br>/g, broken)
    .replaceAll(/<\/?[a-z][^>\n]*>/gi, emptied)
  return markdownBlocks(text).map((block) => ({ ...block, surface: 'Markdown' }))
}

/** The prose of a doc comment at `start`, with its tags as blocks of their own. */
function proseOfComment(comment, start) {
  const text = comment
    .replace(/^\/\*\*/, emptied)
    .replace(/\*\/$/, emptied)
    .replaceAll(/^[ \t]*\*/gm, emptied)
    .replaceAll(/@example\b[\s\S]*?(?=^\s*@[a-z]|$(?![\s\S]))/gm, broken)
    .replaceAll(/```[\s\S]*?(?:```|$(?![\s\S]))/g, broken)
    .replaceAll(/^[ \t]*\|.*\|[ \t]*$/gm, (row) => row.replaceAll('|', END))
    .replaceAll(/\{@link [^}]*\}/g, filled)
    .replaceAll(/@(?:param|typeParam) \S+|@[a-z]+/gi, broken)
  const asBlocks = withoutInlineCode(text)
    .replaceAll(/^[ \t]*(?:[-*+]|\d+\.)(?=\s)/gm, broken)
    .replaceAll(/https?:\/\/[^\s)]+/g, filled)
  return blocksOf(asBlocks, start).map((block) => ({ ...block, surface: 'doc comment' }))
}

const IS_SQL =
  /\b(?:select\b[\s\S]*\bfrom|insert into|delete from|update \S+ (?:\w+ )?set|create (?:unique )?(?:table|index|or replace)|alter table|on conflict|order by|primary key|partition of|::\w+|\w+_\w+ = \S+)\b/i
const IS_PROSE = /[A-Za-z]{2,}[,;:.]? (?:[A-Za-z]{2,}|a )/

const IS_CODE = /:root \{|\(\) \{|^body\{/m
const IS_SCHEMA = /^\s*(?:extend )?(?:type|input|enum|query|mutation) .*\{$|^\s*"[^"]+"$\s*\w+: \w+/im

/** Of a GraphQL schema its descriptions, of a page its text. */
function proseWithin(string) {
  if (!IS_SCHEMA.test(string)) return string.replaceAll(/<\/?[a-z!][^<>]*>/gi, broken)
  const outside = string.split(/("[^"\n]+")/)
  return outside.map((part, index) => (index % 2 === 0 ? broken(part) : part)).join('')
}

/** The prose in a string at `start`, or none when it is a name, a statement or a program. */
function proseOfString(string, start) {
  if (!IS_PROSE.test(string) || IS_SQL.test(string) || IS_CODE.test(string)) return []
  const unquoted = string.replaceAll(/^['"`]|['"`]$/g, ' ')
  const text = withoutInlineCode(proseWithin(unquoted)).replaceAll(String.raw`\n`, broken)
  return blocksOf(text, start).map((block) => ({ ...block, surface: 'string' }))
}

/** A template with its expressions filled, so that one counts as a word. */
function templateText(node, source) {
  let text = source.slice(node.getStart(), node.getEnd())
  const offset = node.getStart()
  for (const { expression, literal } of node.templateSpans) {
    const from = expression.pos - 2 - offset
    const to = literal.getStart() + 1 - offset
    text = text.slice(0, from) + 'X'.repeat(to - from) + text.slice(to)
  }
  return text
}

const isQuoted = (node) => ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)
const isModuleName = (node) => ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)
const isClasses = (node) => ts.isJsxAttribute(node.parent) && node.parent.name.getText() === 'className'

/** Every literal of a source file: its place, and its text as prose or null. */
function literalsOf(source, name) {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true)
  const found = []
  const add = (node, text) => found.push({ start: node.getStart(), end: node.getEnd(), text })
  const visit = (node) => {
    if (isQuoted(node)) add(node, isModuleName(node) || isClasses(node) ? null : node.getText())
    else if (ts.isTemplateExpression(node)) add(node, templateText(node, source))
    else if (ts.isJsxText(node)) found.push({ start: node.pos, end: node.end, text: node.text })
    else if (ts.isRegularExpressionLiteral(node)) add(node, null)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function withoutRanges(source, ranges) {
  let place = 0
  const parts = []
  for (const { start, end } of ranges) {
    if (start < place) continue
    parts.push(source.slice(place, start), emptied(source.slice(start, end)))
    place = end
  }
  return [...parts, source.slice(place)].join('')
}

/** The prose of a TypeScript file: its doc comments, and with `strings` its strings. */
export function proseOfSource(source, { name, strings }) {
  const literals = literalsOf(source, name)
  const code = withoutRanges(source, literals)
  const comments = [...code.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(({ 0: { length }, index }) =>
    proseOfComment(source.slice(index, index + length), index),
  )
  const texts = strings
    ? literals.filter(({ text }) => text !== null).flatMap(({ text, start }) => proseOfString(text, start))
    : []
  return [...comments, ...texts]
}
