/** A field's name on the wire: `dueDate` as `due_date`. */
export function wireName(field: string): string {
  return field.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The type of `wireName`. */
export type WireName<Field extends string> = Field extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${WireName<Rest>}`
  : Field
