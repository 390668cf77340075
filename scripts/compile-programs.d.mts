export function compilePrograms(entries: Readonly<Record<string, string>>, folder: string): Promise<string>
