import { counted, words } from './words.mjs'

const MOST_WORDS = 25
const MOST_IN_LABEL = 12
const MOST_IN_HEADING = 6
const LONG = 'sentence over 25 words'
const NAMED_BY_WHAT = 'label that begins with "what"'
const WHAT = 'clause with "what" as a noun'

/** The names of the rules, in the order of the summary. */
export const ruleNames = [...words.map(({ name }) => name), LONG]
/** Counted and never a failure. */
export const countedNames = [NAMED_BY_WHAT, ...counted.map(({ name }) => name)]

/** The sentences of a block with their places in it. A semicolon before code ends an item of a list, such as the errors that a call throws. */
function sentencesOf(text) {
  const sentences = []
  let start = 0
  for (const { index, 0: end } of text.matchAll(
    /[.!?]["'”)*_]*(?=\s+["'“(*_[]*(?:[A-ZX\d]|[a-z_]+:)|\s*$)|;(?=\s(?:XX|\$\d))/g,
  )) {
    sentences.push({ text: text.slice(start, index + end.length), start })
    start = index + end.length
  }
  if (text.slice(start).trim() !== '') sentences.push({ text: text.slice(start), start })
  return sentences
}

/** The first sentence of a comment or description, or the words above a column of a table. */
function isLabelOf({ surface, place, length, sentence }) {
  if (surface === 'Markdown') return length <= MOST_IN_HEADING && !/[.!?:]\s*$/.test(sentence)
  return place === 0 && length <= MOST_IN_LABEL
}

/** A list of code is a word. */
const wordsIn = (text) => text.replaceAll(/(?:XX+, )+XX+/g, 'X').match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0

/** "What was asked.", as the first sentence of a comment or description or as a heading, names a thing; it is not a clause of a sentence. */
function nameOf(rule, { isLabel, isHeading }) {
  if (rule !== WHAT) return rule
  if (isHeading) return null
  return isLabel ? NAMED_BY_WHAT : rule
}

/** What the rules find in a block of prose: the name of each rule, what to write, the place in the file, and the words that it found. */
export function findingsIn({ text, start, surface, isHeading = false }) {
  const found = []
  for (const { text: sentence, start: place } of sentencesOf(text)) {
    const at = start + place
    const length = wordsIn(sentence)
    const isLabel = isLabelOf({ surface, place, length, sentence })
    for (const { name: rule, pattern, write } of [...words, ...counted]) {
      for (const { 0: matched, index } of sentence.matchAll(pattern)) {
        const name = nameOf(rule, { isLabel: isLabel && /^\s*(?:What|Who)\b/.test(sentence), isHeading })
        if (name !== null) found.push({ name, write, place: at + index, words: matched })
      }
    }
    if (length > MOST_WORDS) {
      const first = at + sentence.search(/\S/)
      found.push({ name: LONG, write: 'two sentences', place: first, words: `${length} words` })
    }
  }
  return found
}
