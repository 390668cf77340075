const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const

export type Style = keyof typeof codes
export type Paint = (style: Style, text: string) => string

export function painter(isColoured: boolean): Paint {
  if (!isColoured) return (_, text) => text
  return (style, text) => `\u001B[${codes[style]}m${text}\u001B[0m`
}
