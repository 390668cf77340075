/** A file, and one that it imports. */
export type Import = readonly [from: string, to: string]
export function readImports(): readonly Import[]
