import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const app = fileURLToPath(new URL('../app/', import.meta.url))
/** The attributes that people read or hear. */
const READ = new Set(['aria-label', 'title', 'label', 'hint', 'placeholder', 'alt', 'about', 'action'])
const hasWords = (text: string): boolean => /\p{L}{2}/u.test(text)

/** What people read that stands in the code of a file. */
function wordsIn(source: ts.SourceFile): readonly string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) found.push(node.text.trim())
    if (ts.isJsxAttribute(node) && READ.has(node.name.getText(source))) {
      if (node.initializer !== undefined && ts.isStringLiteral(node.initializer))
        found.push(node.initializer.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found.filter(hasWords)
}

it('what people read in the application is in the folder of its texts', () => {
  const files = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tsx'),
  )
  expect(files.length).toBeGreaterThan(40)
  const found = files.flatMap((name) => {
    const text = readFileSync(app + name, 'utf8')
    const words = wordsIn(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX))
    return words.map((word) => ({ name, word }))
  })
  expect(found).toEqual([])
})
