export interface PlantedBug {
  readonly name: string
  /** The promises that may break. */
  readonly rules: readonly string[]
  readonly file: string
  /** What changes within each function or constant, see `plant.mjs`. */
  readonly faults: Readonly<Record<string, string>>
}
export const plantedBugs: readonly PlantedBug[]
export function withBug(text: string, bug: PlantedBug): string
