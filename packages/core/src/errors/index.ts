export { TaskboardError, isTaskboardError } from './taskboard-error.js'
export type { ErrorCode, ErrorDetails } from './taskboard-error.js'
export { parseInput } from './parse-input.js'
