/** What delimits data in the prompt of one run. It is random, so no text that was written before can contain it. */
export function createMark(): string {
  return `data-${globalThis.crypto.randomUUID().replaceAll('-', '')}`
}

export function between(mark: string, about: string, text: string): string {
  return `<${mark} about="${about}">\n${text}\n</${mark}>`
}
