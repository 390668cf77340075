import type { TextRules } from '../errors/index.js'

/** What the `type` of a task or an agent may be: any text of 1 to 64 code points that is not blank, kept as it is given. */
export const typeRules: TextRules = { most: 64, isBlankAllowed: false }
