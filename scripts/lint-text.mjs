// `npm run lint:text`: finds words and sentences that docs/style.md excludes, in pages, doc comments and the texts that users read.
//   -- docs/agents.md packages/cli    only files at or under these paths
//   -- --counts                       only the counts of each rule
//   -- --counts 9b3e01a3              beside the counts at another commit
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './run.mjs'
import { countedNames, ruleNames } from './text/check.mjs'
import { findingsInFiles, hasProse, textFiles } from './text/index.mjs'

const SURFACES = ['Markdown', 'string', 'doc comment']

const { values, positionals } = parseArgs({
  options: { counts: { type: 'boolean', default: false }, only: { type: 'boolean', default: false } },
  allowPositionals: true,
})

/** The findings at another commit by the rules of this one. */
function findingsAt(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'taskboard-text-'))
  try {
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    const paths = readdirSync(folder, { recursive: true }).filter(hasProse)
    return findingsInFiles(paths, { folder, exceptions: [] })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const cells = (findings, name) => {
  const found = findings.filter((finding) => finding.name === name)
  return [found.length, ...SURFACES.map((surface) => found.filter((each) => each.surface === surface).length)]
}

const row = (numbers, title) => `${numbers.map((number) => String(number).padStart(8)).join('')}  ${title}`

function printCounts(findings, before) {
  const columns = ['all', 'pages', 'strings', 'comments']
  console.log(row(before === null ? columns : ['before', ...columns], 'rule'))
  for (const name of [...ruleNames, ...countedNames]) {
    const numbers = cells(findings, name)
    const title = countedNames.includes(name) ? `${name} (only counted)` : name
    console.log(row(before === null ? numbers : [cells(before, name)[0], ...numbers], title))
  }
}

const isWithin = (path, folder) => folder === '' || path === folder || path.startsWith(`${folder}/`)

const commit = values.counts ? (positionals[0] ?? null) : null
const only = values.counts ? [] : positionals.map((path) => relative(root, resolve(path)))
const paths = textFiles().filter((path) => only.length === 0 || only.some((folder) => isWithin(path, folder)))
const findings = findingsInFiles(paths)
const failures = findings.filter(({ name }) => ruleNames.includes(name))
if (!values.counts) {
  for (const { path, line, name, words, write } of failures)
    console.log(`${path}:${line}: ${name}: "${words}" (write: ${write})`)
}
if (values.counts || failures.length > 0) {
  printCounts(findings, commit === null ? null : findingsAt(commit))
  console.log(`${failures.length} found in ${paths.length} files`)
}
process.exitCode = failures.length > 0 && !values.counts ? 1 : 0
