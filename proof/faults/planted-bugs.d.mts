export interface PlantedBug {
  readonly name: string
  readonly promises: readonly string[]
  readonly file: string
  readonly changes: readonly { readonly from: string; readonly to: string }[]
}
export const plantedBugs: readonly PlantedBug[]
