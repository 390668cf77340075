/**
 * Makes the files that are not in git, unless they are those of the sources as they are, or with `onlyMissing` unless they are there.
 * Resolves with the paths of those that were written.
 */
export function generate(options?: { readonly onlyMissing?: boolean }): Promise<readonly string[]>
