export interface PlantedBug {
  readonly name: string
  /** The promises that may break. */
  readonly rules: readonly string[]
  readonly file: string
  readonly changes: readonly { readonly from: string; readonly to: string }[]
}
export const plantedBugs: readonly PlantedBug[]
export function withBug(text: string, bug: PlantedBug): string
