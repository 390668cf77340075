import type { Import } from './imports.mjs'

/** The parts of a folder, each with those that it imports. */
export type Parts = ReadonlyMap<string, ReadonlyMap<string, Import>>
export function partsOf(imports: readonly Import[], folder: string): Parts
export function circlesIn(imports: readonly Import[]): readonly string[]
export function floorsOf(parts: Parts): ReadonlyMap<string, number>
export function needed(parts: Parts): readonly (readonly [from: string, to: string])[]
