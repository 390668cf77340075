export const packageNames: readonly string[]
