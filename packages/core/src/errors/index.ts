export { TaskboardError, isTaskboardError } from './taskboard-error.js'
export type { ErrorCode, ErrorDetails } from './taskboard-error.js'
export {
  boundedList,
  type InputOf,
  LARGEST_PAGE,
  parseInput,
  pathText,
  requireLimit,
  shownName,
  wholeNumber,
} from './parse-input.js'
export { FIRST_INSTANT, instantRule, ISO_INSTANT, LAST_INSTANT, YEARS_RULE } from './text.js'
export { baseUrlForm, mountPath, routePath, toBaseUrl } from './path-option.js'
export { parseJson } from './parse-json.js'
export { type NamesOf, requireKnownFields, requireOptionNames } from './known-names.js'
export { suggestName } from './suggest-name.js'
export { boundedText, hasInvisible, isStorableText, nameFault, textFault, textOf } from './text.js'
export type { TextRules } from './text.js'
