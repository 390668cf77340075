export { createScoring, defaultScoring, factorTable, forFactors, sameScoring } from './scoring.js'
export type { Scoring, ScoringOptions, ScoringWeights } from './scoring.js'
export { priorities, type Priority, type Scorable } from './factors.js'
export {
  compareTied,
  explainScore,
  type ScoreExplanation,
  scoreTask,
  scoreUnits,
  type Tied,
} from './score.js'
export { laneSlope, lanes, placeTask } from './lanes.js'
export type { Lane, Placement } from './lanes.js'
