import { z } from 'zod'

/**
 * A schema for a list of at most `most` entries. Zod checks the length first and reads no entry of a list that is too long, so an
 * oversized list is cheap to refuse (a test checks that). `of` names the entries, in the plural.
 */
export function boundedList<S extends z.ZodType>(
  entry: S,
  { of, least = 0, most }: { readonly of: string; readonly least?: number; readonly most: number },
): z.ZodArray<S> {
  return z
    .array(entry, { error: `must be a list of ${of}` })
    .min(least, `must have at least ${least} of the ${of}`)
    .max(most, `must have at most ${most} entries`)
}

/** A schema for a whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number): z.ZodInt {
  const error = `must be a whole number from ${least} to ${most}`
  return z.int({ error }).min(least, error).max(most, error)
}
