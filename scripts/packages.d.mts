export interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export function manifestOf(folder: string): Manifest
export const workspaces: readonly string[]
export const packageNames: readonly string[]
export const exampleNames: readonly string[]
export function entriesOf(name: string): readonly { readonly name: string; readonly source: string }[]
