import type { FieldKind, NamedField } from '@taskboard/core/transport'

const types: Readonly<Record<FieldKind, string>> = {
  text: 'String',
  texts: '[String!]',
  boolean: 'Boolean',
  integer: 'Int',
}

/** The members of an input type: of a new resource, or of a change, which requires none. */
export function inputMembers(fields: readonly NamedField[], use: 'create' | 'update'): string {
  return members(fields, ({ isClearable }) => use === 'create' && !isClearable)
}

/** The members of an object type. */
export function outputMembers(fields: readonly NamedField[]): string {
  return members(fields, ({ isNullable }) => !isNullable)
}

function members(fields: readonly NamedField[], isRequired: (field: NamedField) => boolean): string {
  return fields
    .map((field) => {
      const { name, kind, description } = field
      const text = description === null ? '' : `${JSON.stringify(description)}\n    `
      return `${text}${name}: ${types[kind]}${isRequired(field) ? '!' : ''}`
    })
    .join('\n    ')
}
