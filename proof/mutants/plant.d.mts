export function plant(text: string, within: string, change: string): string
