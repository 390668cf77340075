/** A text without the signs at its end. Not by an expression such as `/[.]+$/`, which takes time by the square of the dots. */
export function withoutEnd(text: string, sign: RegExp): string {
  let end = text.length
  while (end > 0 && sign.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
