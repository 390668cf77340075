import type { PlantedBug } from '../simulation/planted-bugs.mjs'

export const plantedBugs: readonly PlantedBug[]
