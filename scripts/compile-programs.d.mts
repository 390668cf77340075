export function compilePrograms(
  entries: Readonly<Record<string, string>>,
  folder: string,
  plugins?: readonly unknown[],
): Promise<string>
