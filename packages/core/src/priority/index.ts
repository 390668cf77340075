export { createScoring, defaultScoring, sameScoring } from './scoring.js'
export type { Scoring, ScoringOptions, ScoringWeights } from './scoring.js'
export {
  compareTied,
  explainScore,
  priorities,
  type Priority,
  type Scorable,
  type ScoreExplanation,
  scoreTask,
  scoreUnits,
  type Tied,
} from './score.js'
export { laneSlope, lanes, placeTask } from './lanes.js'
export type { Lane, Placement } from './lanes.js'
