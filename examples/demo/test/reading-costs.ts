import { parseChat } from '../src/chat-command.js'
import { parseChecklist, readLine } from '../src/checklist.js'

/**
 * Runs in a separate process, so that nothing else uses its processor time. Writes as JSON the cost of reading one long text, and of
 * as many characters in a hundred short ones: `[name, ofLong, ofShort]`, in milliseconds.
 */
const CHARACTERS = 60_000
const PARTS = 100
const TRIES = 3
/** Below this the clock and the engine's own work count for more than the text. */
const LEAST_MS = 5

const texts: Readonly<Record<string, (characters: number) => string>> = {
  dots: (characters) => `${'.'.repeat(characters)}x`,
  'exclamation marks': (characters) => `show ${'!'.repeat(characters)}x`,
  blanks: (characters) => `list${' '.repeat(characters)}x`,
  'polite words': (characters) => 'hi '.repeat(characters / 3),
  'polite words and dots': (characters) =>
    `${'please '.repeat(characters / 14)}${'.'.repeat(characters / 2)}x`,
  'a date that never comes': (characters) => `add x, due${' '.repeat(characters)}a\u2028b`,
  commas: (characters) => `add ${','.repeat(characters)}x`,
  tags: (characters) => `add x${',#a'.repeat(characters / 3)}`,
  'a question after blanks': (characters) => `- blocked:${' '.repeat(characters)}a\u2028b`,
  'an approval after blanks': (characters) => `- !${' '.repeat(characters)}a\u2028b`,
  signs: (characters) => `- ${'+'.repeat(characters)}1`,
  'an alert after blanks': (characters) => `- alert:${' '.repeat(characters)}a\u2028b`,
  'a wait after blanks': (characters) => `- wait 1${' '.repeat(characters)}x`,
  'a link and dots': (characters) => `https://a.example/${'.'.repeat(characters)}x`,
  digits: (characters) => `${'1'.repeat(characters)}x`,
  fractions: (characters) => `${'1.'.repeat(characters / 2)}x`,
  dates: (characters) => '2026-01-01-'.repeat(characters / 11),
}

function read(text: string): void {
  parseChat(text, 0)
  for (const step of parseChecklist(text)) readLine(step.text)
}

/** The least of some tries: what else the machine does can only add to it. */
function leastMs(given: readonly string[], tries: number): number {
  let least = Infinity
  for (let attempt = 0; attempt < tries; attempt++) {
    const before = process.cpuUsage()
    for (const text of given) read(text)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return Math.max(LEAST_MS, least)
}

const costs = Object.entries(texts).map(([name, make]) => {
  const short = Array.from({ length: PARTS }, () => make(CHARACTERS / PARTS))
  const ofShort = leastMs(short, TRIES)
  const first = leastMs([make(CHARACTERS)], 1)
  return [name, first > 10 * ofShort ? first : leastMs([make(CHARACTERS)], TRIES), ofShort] as const
})
process.stdout.write(JSON.stringify(costs))
