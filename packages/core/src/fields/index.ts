export { resourceFields } from './resource-fields.js'
export type { ChangeInput, FieldKind, NamedField, NewInput, ResourceFields } from './resource-fields.js'
export { wireName } from './resource-fields.js'
export type { WireName } from './resource-fields.js'
