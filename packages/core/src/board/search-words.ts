const WORDS = /[\p{L}\p{N}\p{M}]+/gu
/** How many characters of a word count. */
const WORD_CODE_POINTS = 64
/** How many different words of a text count. */
const MOST_WORDS = 1_000

/**
 * The words by which a text is found: its runs of letters, digits and their marks, in lower case and in the compatibility form (NFKC),
 * each once. The first 64 characters of a word count, and the first 1,000 different words. Storages keep what this returns, so that
 * all of them find the same tasks.
 * @example
 * ```ts
 * import { searchWords } from '@taskboard/core/storage'
 *
 * console.log(searchWords('Übersetze the MANUAL, the ①st one')) // [ 'übersetze', 'the', 'manual', '1st', 'one' ]
 * ```
 */
export function searchWords(text: string | null): readonly string[] {
  if (text === null) return []
  const words = new Set<string>()
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(WORDS)) {
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
