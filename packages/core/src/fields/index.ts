export { resourceFields } from './resource-fields.js'
export type { ChangeInput, FieldKind, NamedField, NewInput, ResourceFields } from './resource-fields.js'
export { wireName } from './wire-name.js'
export type { WireName } from './wire-name.js'
