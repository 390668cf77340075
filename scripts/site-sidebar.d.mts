export function pageOf(path: string): string | null
export function sidebarGroups(
  index: string,
): { readonly text: string; readonly items: readonly { readonly text: string; readonly link: string }[] }[]
