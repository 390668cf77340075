import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { text as words } from '../texts/index.js'
import { OutsideLink } from './outside-link.js'

/** Deeper text is shown as it was written. */
const DEEPEST = 16
/** So many marks at the beginning of a line nest nothing that a person would read. */
const nested = /^[ \t]*(?:(?:>|[-*+]|\d+[.)])[ \t]*){24}/m

/** Where the parser may look through the rest of a paragraph. */
const marks = /[*_~`[<!@]|www\.|:\/\//g
/** The limit of the parser for one text: in each paragraph its marks times its length. Far more than people and agents need. */
const MOST_WORK = 5_000_000
/** So much of a text is formatted and shown at first. */
const MOST_FORMATTED = 50_000

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}

const decoded = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity)

function cells(row: readonly Tokens.TableCell[], depth: number): ComponentChildren {
  return row.map((cell, index) =>
    cell.header ? (
      <th key={index} scope="col">
        {all(cell.tokens, depth)}
      </th>
    ) : (
      <td key={index}>{all(cell.tokens, depth)}</td>
    ),
  )
}

function list({ ordered, start, items }: Tokens.List, depth: number): ComponentChildren {
  const rows = items.map((item, index) => (
    <li key={index} class={item.task ? 'md-task' : undefined}>
      {all(item.tokens, depth)}
    </li>
  ))
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul class="md-list">{rows}</ul>
}

/** The elements of a token. Raw HTML is text, like anything that isn't known. */
function element(token: MarkedToken, depth: number): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'text':
      return token.tokens === undefined ? decoded(token.text) : all(token.tokens, depth)
    case 'escape':
      return token.text
    case 'paragraph':
      return <p>{all(token.tokens, depth)}</p>
    case 'heading':
      // The page has its own outline.
      return <h4 class={`md-heading md-heading-${Math.min(token.depth, 4)}`}>{all(token.tokens, depth)}</h4>
    case 'strong':
      return <strong>{all(token.tokens, depth)}</strong>
    case 'em':
      return <em>{all(token.tokens, depth)}</em>
    case 'del':
      return <del>{all(token.tokens, depth)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'code':
      return <pre tabIndex={0}>{token.text}</pre>
    case 'br':
      return <br />
    case 'hr':
      return <hr />
    case 'blockquote':
      return <blockquote>{all(token.tokens, depth)}</blockquote>
    case 'list':
      return list(token, depth)
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'table':
      return (
        <div class="table-scroll">
          <table>
            <thead>
              <tr>{cells(token.header, depth)}</tr>
            </thead>
            <tbody>
              {token.rows.map((row, index) => (
                <tr key={index}>{cells(row, depth)}</tr>
              ))}
            </tbody>
          </table>
        </div>
      )
    case 'link':
      return (
        <OutsideLink address={token.href} isMailAllowed>
          {all(token.tokens, depth)}
        </OutsideLink>
      )
    case 'image':
      // Not loaded: it would tell another server who reads this.
      return <OutsideLink address={token.href}>{token.text === '' ? token.href : token.text}</OutsideLink>
    default:
      return token.raw
  }
}

function all(tokens: readonly Token[], depth: number): ComponentChildren {
  if (depth > DEEPEST) return tokens.map(({ raw }) => raw).join('')
  return tokens.map((token) => element(token as MarkedToken, depth + 1))
}

/** Lexes as `Lexer.lex` does, and leaves paragraphs as they were written whose marks would keep the parser busy. */
function lex(source: string): readonly Token[] {
  const lexer = new Lexer({ gfm: true, breaks: true })
  lexer.blockTokens(source.replaceAll(/\r\n?/g, '\n'), lexer.tokens)
  let work = 0
  for (const { src, tokens } of lexer.inlineQueue) {
    const needed = (src.match(marks)?.length ?? 0) * src.length
    if (work + needed > MOST_WORK) {
      tokens.push({ type: 'escape', raw: src, text: src })
      continue
    }
    work += needed
    lexer.inlineTokens(src, tokens)
  }
  return lexer.tokens
}

function parse(source: string): readonly Token[] | null {
  if (nested.test(source)) return null
  try {
    return lex(source)
  } catch {
    return null
  }
}

/** The first lines of a long text. */
function beginning(source: string): string {
  const end = source.lastIndexOf('\n', MOST_FORMATTED)
  return source.slice(0, end > 0 ? end : MOST_FORMATTED)
}

/** Markdown as elements, never as HTML. A long text is shown in full on demand, as it was written. */
export function MarkdownView({ source }: { readonly source: string }) {
  const isLong = source.length > MOST_FORMATTED
  const [isWhole, setWhole] = useState(false)
  const shown = isLong ? beginning(source) : source
  const tokens = useMemo(() => parse(shown), [shown])
  if (isWhole && isLong) return <p class="written">{source}</p>
  return (
    <>
      {tokens === null ? <p class="written">{shown}</p> : <div class="markdown">{all(tokens, 0)}</div>}
      {isLong && (
        <button type="button" class="button button-small" onClick={() => setWhole(true)}>
          {words.longText(source.length)}
        </button>
      )}
    </>
  )
}
