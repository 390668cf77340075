const LONGEST = 64
const PLAIN = /^[\w-]{1,64}$/

/** A name that a caller made up, for an error's text: cut where it is long, in quotes where it is no plain word. */
export function shownName(name: string): string {
  if (PLAIN.test(name)) return name
  const cut = name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name
  return JSON.stringify(cut.toWellFormed())
}

/** Where in an input a value is: `tags[2]`, `metadata.color`, `metadata["two words"]`. */
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
