/** The wire's name of a field: `dueDate` is `due_date` there. */
export function wireName(field: string): string {
  return field.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
