/** A random key for one attempt of a person to create something. `crypto.randomUUID` doesn't exist over plain HTTP. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
