export const siteFolders: readonly string[]
export function siteFilesIn(folder: string): string[]

/** The files that the site serves as they are, besides pages and pictures. */
export const siteDownloads: readonly string[]
