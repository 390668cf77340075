export const siteFolders: readonly string[]
export function siteFilesIn(folder: string): string[]
