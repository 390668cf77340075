const WORDS = /[\p{L}\p{N}\p{M}]+/gu
/** The accents of letters that are also written without them. In other scripts, marks make other letters. */
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u0300-\u036F]+/gu
/** How many characters of a word count. */
const WORD_CODE_POINTS = 64
/** How many different words of a text count. */
const MOST_WORDS = 1_000

/**
 * The words by which a text is found: its runs of letters, digits and their marks, each once. They are in lower case and in the
 * compatibility form (NFKC), without the accents of Latin, Greek and Cyrillic letters. The first 64 characters of a word count, and the
 * first 1,000 different words. Storages keep what this returns, so that all of them find the same tasks.
 * @example
 * ```ts
 * import { searchWords } from '@taskboard/core/storage'
 *
 * console.log(searchWords('Übersetze the MANUAL, the ①st one')) // [ 'ubersetze', 'the', 'manual', '1st', 'one' ]
 * ```
 */
export function searchWords(text: string | null): readonly string[] {
  if (text === null) return []
  const words = new Set<string>()
  const folded = text.normalize('NFKD').toLowerCase().replaceAll(ACCENTS, '').normalize('NFKC')
  for (const [run] of folded.matchAll(WORDS)) {
    words.add(run.length <= WORD_CODE_POINTS ? run : Array.from(run).slice(0, WORD_CODE_POINTS).join(''))
    if (words.size === MOST_WORDS) break
  }
  return [...words]
}

/** Whether each of `wanted` begins a word of one of the texts. `wanted` is what `searchWords` returned. */
export function hasWords(wanted: readonly string[], texts: readonly (string | null)[]): boolean {
  const words = texts.flatMap((text) => searchWords(text))
  return wanted.every((start) => words.some((word) => word.startsWith(start)))
}
