import type { Import } from './imports.mjs'

export function drawHouse(imports: readonly Import[]): string
