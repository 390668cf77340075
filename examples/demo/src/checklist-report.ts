import { readLine, type LineFacts, type Step } from './checklist.js'

/** A step that has been worked. */
export interface WorkedStep {
  readonly step: Step
  /** What happened to it, in a few words. */
  readonly outcome: string
  /** Whether it was rejected, and so not done. */
  readonly isRefused?: boolean
}

const LONGEST_QUOTE = 2_000

/** The description of a line that was read. */
export function describeLine(text: string): string {
  const { words, links, dates, numbers } = readLine(text)
  const parts = [
    counted(words, 'word'),
    ...listed('link', links),
    ...listed('date', dates),
    ...listed('number', numbers),
  ]
  return `read: ${parts.join('; ')}`
}

/** What a person or another agent said, on one line. */
export function quote(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const line = lines.filter((each) => each !== '').join(' / ')
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE).toWellFormed()}…` : line
}

/** The report that becomes the task's result. The same steps always give the same text. */
export function writeReport(title: string, worked: readonly WorkedStep[], leftOut: number): string {
  if (worked.length === 0) {
    return `"${title}" has no description, so there was nothing to work through. The title has ${counted(readLine(title).words, 'word')}.`
  }
  const facts = worked.map(({ step }) => readLine(step.text))
  const ticked = worked.filter(({ step }) => step.kind === 'ticked').length
  const refused = worked.filter(({ isRefused }) => isRefused).length
  const gone = worked.length - ticked - refused
  return [
    `Worked through ${counted(worked.length, 'line')} of "${title}".`,
    ...worked.map(
      ({ step, outcome }, index) =>
        `${index + 1}. ${step.kind === 'ticked' ? '[x] ' : ''}${step.text} (${outcome})`,
    ),
    `In all: ${ticked} ticked off before, ${gone} gone through now${refused > 0 ? `, ${refused} not done` : ''}; ${totals(facts)}.`,
    ...(leftOut > 0 ? [`${counted(leftOut, 'further line')} left out.`] : []),
  ].join('\n')
}

function totals(facts: readonly LineFacts[]): string {
  const sum = (pick: (fact: LineFacts) => number): number => facts.reduce((all, fact) => all + pick(fact), 0)
  return [
    counted(
      sum((fact) => fact.words),
      'word',
    ),
    counted(
      sum((fact) => fact.links.length),
      'link',
    ),
    counted(
      sum((fact) => fact.dates.length),
      'date',
    ),
    counted(
      sum((fact) => fact.numbers.length),
      'number',
    ),
  ].join(', ')
}

function listed(noun: string, found: readonly string[]): readonly string[] {
  if (found.length === 0) return []
  return [`${noun}${found.length === 1 ? '' : 's'} ${found.join(', ')}`]
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
