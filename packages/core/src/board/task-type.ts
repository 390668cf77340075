import type { TextRules } from '../errors/index.js'

/** The `type` of a task or an agent: any text of 1 to 64 code points that is not blank, stored without the white space around it. */
export const typeRules: TextRules = { most: 64, isBlankAllowed: false }
