import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

function parse(path: string): ts.SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
}

/** What an entry exports: values first, then types. */
function exportedNames(path: string): readonly string[] {
  const names = parse(path).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) return []
    const { exportClause, isTypeOnly } = statement
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) throw new Error(`${path}: export *`)
    return exportClause.elements.map((element) => ({
      name: element.name.text,
      isType: isTypeOnly || element.isTypeOnly,
    }))
  })
  const sorted = (isType: boolean) =>
    names
      .filter((each) => each.isType === isType)
      .map(({ name }) => `${isType ? 'type ' : ''}${name}`)
      .toSorted()
  return [...sorted(false), ...sorted(true)]
}

/** The verbs of an interface, each with the first sentence of its promise. */
function verbsOf(declaration: ts.InterfaceDeclaration): readonly string[] {
  return declaration.members.filter(ts.isMethodSignature).map((verb) => {
    const [doc] = ts.getJSDocCommentsAndTags(verb).filter(ts.isJSDoc)
    const text = ts.getTextOfJSDocComment(doc?.comment) ?? ''
    const sentence = /^[\s\S]*?[.](?=\s|$)/.exec(text)?.[0] ?? text
    return `  ${verb.name.getText()}: ${sentence.replaceAll(/\s+/g, ' ')}`
  })
}

function interfaceIn(source: ts.SourceFile, name: string): ts.InterfaceDeclaration | undefined {
  return source.statements
    .filter((statement) => ts.isInterfaceDeclaration(statement))
    .find((statement) => statement.name.text === name)
}

/** The interface of a store, wherever core declares it. */
function storeNamed(name: string): ts.InterfaceDeclaration {
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('-store.ts')) continue
    const found = interfaceIn(parse(`src/${path}`), name)
    if (found !== undefined) return found
  }
  throw new Error(`no file of core declares ${name}`)
}

describe('the storage port', () => {
  it('has the verbs of port.txt, which is the whole port on one page', async () => {
    const port = interfaceIn(parse('src/storage/port.ts'), 'Storage')
    if (port === undefined) throw new Error('port.ts declares no Storage')
    const stores = port.members.filter(ts.isPropertySignature).flatMap(({ name, type }) => {
      const declared = /^(\w+Store)\b/.exec(type?.getText() ?? '')?.[1]
      return declared === undefined ? [] : [{ title: name.getText(), verbs: verbsOf(storeNamed(declared)) }]
    })
    const sections = [...stores, { title: 'the storage itself', verbs: verbsOf(port) }]
    const count = sections.reduce((sum, { verbs }) => sum + verbs.length, 0)
    const page = sections.map(({ title, verbs }) => `${title}\n${verbs.join('\n')}\n`).join('\n')
    await expect(`${count} verbs\n\n${page}`).toMatchFileSnapshot('../../port.txt')
  })
})

describe('the exported names', () => {
  it('are those of api.txt, so that a change shows what the public interface gains or loses', async () => {
    const entries = {
      '@taskboard/core': 'src/index.ts',
      '@taskboard/core/storage': 'src/entries/storage.ts',
      '@taskboard/core/transport': 'src/entries/transport.ts',
    }
    const blocks = Object.entries(entries).map(([entry, path]) => {
      const names = exportedNames(path)
      return `${entry}: ${names.length}\n${names.map((name) => `  ${name}\n`).join('')}`
    })
    await expect(blocks.join('\n')).toMatchFileSnapshot('../../api.txt')
  })

  it('of the main entry are in no other one', () => {
    const main = new Set(exportedNames('src/index.ts'))
    const others = ['src/entries/storage.ts', 'src/entries/transport.ts'].flatMap(exportedNames)
    expect(others.filter((name) => main.has(name))).toEqual([])
  })
})
