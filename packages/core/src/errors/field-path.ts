const LONGEST = 64
const PLAIN = /^[\w-]{1,64}$/

/** A caller's name for an error text: cut off when long, in quotes unless it is a plain word. */
export function shownName(name: string): string {
  if (PLAIN.test(name)) return name
  const cut = name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name
  return JSON.stringify(cut.toWellFormed())
}

/** The path of a value in an input: `tags[2]`, `metadata.color`, `metadata["two words"]`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const [index, step] of path.entries()) {
    if (typeof step === 'number') text += `[${step}]`
    else {
      const shown = shownName(String(step))
      if (index === 0) text = shown
      else text += shown.startsWith('"') ? `[${shown}]` : `.${shown}`
    }
  }
  return text
}
