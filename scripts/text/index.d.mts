export interface TextFinding {
  readonly path: string
  readonly line: number
  /** Of the rule. */
  readonly name: string
  readonly write: string
  readonly words: string
  readonly surface: 'Markdown' | 'string' | 'doc comment'
}

export function findingsOf(path: string, source: string): readonly TextFinding[]
export function exceptionsOf(): readonly string[]
export function textFiles(folder?: string): readonly string[]
