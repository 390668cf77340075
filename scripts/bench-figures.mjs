// docs/benchmarks.json has the figures that the docs show. `npm run bench -- --record`, and the other commands of its tables, replace the
// figures that they measure, and `npm run generate:docs` renders the tables of the pages. `--runs 5` measures five times: the file keeps
// the figure of each run, and pages show the median, the lowest and the highest.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { format } from 'oxfmt'
import { root } from './run.mjs'

const path = join(root, 'docs/benchmarks.json')
const GIB = 2 ** 30

/** `--record` and `--runs <n>`, and the other arguments. */
export function benchArguments(all) {
  const at = all.indexOf('--runs')
  const rest = all.filter((_, index) => at < 0 || (index !== at && index !== at + 1))
  const runs = at < 0 ? 1 : Number(all[at + 1])
  if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs needs a whole number of at least 1')
  return {
    isRecorded: rest.includes('--record'),
    runs,
    rest: rest.filter((argument) => argument !== '--record'),
  }
}

/**
 * Collects what a benchmark measures for one table of the file. `env` is for the programs that measure: they append to the file that it
 * names, see `proof/kit/bench/figure.ts`. `add` is for a script that measures by itself. `save` writes what was collected, and does
 * nothing without `isRecorded`.
 */
export function figureCollector(table, { isRecorded }) {
  if (!isRecorded) return { env: () => ({}), add: () => undefined, save: () => Promise.resolve() }
  const folder = mkdtempSync(join(tmpdir(), 'taskboard-figures-'))
  const files = new Map()
  const fileOf = (column) => {
    if (!files.has(column)) {
      files.set(column, join(folder, `${files.size}.jsonl`))
      writeFileSync(files.get(column), '')
    }
    return files.get(column)
  }
  return {
    env: (column) => ({ TASKBOARD_BENCH_FIGURES: fileOf(column) }),
    add: (column, figure) => writeFileSync(fileOf(column), `${JSON.stringify(figure)}\n`, { flag: 'a' }),
    async save(software) {
      const kept = JSON.parse(readFileSync(path, 'utf8'))
      const measured = { on: new Date().toISOString().slice(0, 10), machine: machine(), software }
      const figures = { ...kept.tables[table].figures }
      for (const [column, file] of files) merge(figures, column, linesOf(file))
      kept.tables[table] = { ...kept.tables[table], measured, figures }
      const { code } = await format(path, JSON.stringify(kept, null, 2), { printWidth: 110 })
      writeFileSync(path, code)
      rmSync(folder, { recursive: true })
      console.log('docs/benchmarks.json has the figures now: npm run generate:docs renders the pages')
    },
  }
}

function machine() {
  const [{ model }, ...others] = cpus()
  return `${others.length + 1} cores of ${model.replaceAll(/\((?:R|TM)\)/g, '')}, ${Math.round(totalmem() / GIB)} GiB of memory`
}

const linesOf = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Replaces the values of a column by those of all runs. */
function merge(figures, column, lines) {
  for (const [what, each] of grouped(lines)) {
    const values = each.map(({ value }) => Number(value.toPrecision(4)))
    figures[what] = { unit: each[0].unit, values: { ...figures[what]?.values, [column]: values } }
  }
}

function grouped(lines) {
  const groups = new Map()
  for (const line of lines) groups.set(line.what, [...(groups.get(line.what) ?? []), line])
  return groups
}
