import type { Failure } from '../state/failure.js'
import type { ChannelType } from '../state/wire.js'
import { sectionsText } from '../texts/sections.js'
import { TextArea, TextInput } from '../ui/form.js'

const text = sectionsText.channels

/** What a form holds of a configuration, by its members. */
export type ConfigDraft = Readonly<Record<string, string>>
type Config = Readonly<Record<string, unknown>>
type ConfigField = NonNullable<ChannelType['fields']>[number]

/** The JSON of a configuration whose type has no fields. */
const WHOLE = ''

/** What was typed for a configuration that has no secrets. */
export function draftOf({ fields, secrets }: ChannelType, config: Config): ConfigDraft {
  if (fields === null) return { [WHOLE]: JSON.stringify(config, null, 2) }
  return Object.fromEntries(
    fields.map(({ name }) => [name, secrets.includes(name) ? '' : typed(config[name])]),
  )
}

function typed(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * The configuration of the wire: what was typed, and the members of `before` that have no field. A secret that was left empty isn't in it, so
 * that it stays. @throws Error for JSON that is none
 */
export function configOf({ fields }: ChannelType, draft: ConfigDraft, before: Config): Config {
  if (fields === null) return parsed(draft[WHOLE] ?? '')
  const own = fields.map(({ name, kind }) => [name, valueOf(kind, draft[name] ?? '')] as const)
  const others = Object.entries(before).filter(([member]) => fields.every(({ name }) => name !== member))
  return Object.fromEntries([...others, ...own.filter(([, value]) => value.length > 0)])
}

function valueOf(kind: ConfigField['kind'], value: string): string | readonly string[] {
  if (kind !== 'list') return value.trim()
  const parts = value.split(/[\n,;]/).map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

function parsed(json: string): Config {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Config
  } catch {
    // Said below.
  }
  throw new Error(text.badJson)
}

/** The rejection of one member: the server says `config.url must use https` of the field `config`. */
function errorOf(failure: Failure | null, { name, label }: ConfigField): string | null {
  const start = `config.${name} `
  const isOfMember = failure?.message.toLowerCase().startsWith(start.toLowerCase()) === true
  return isOfMember ? `${label} ${failure.message.slice(start.length)}` : null
}

/** Whether a rejection stands at an input. */
export function isShown({ fields }: ChannelType, failure: Failure | null): boolean {
  return fields === null || fields.some((field) => errorOf(failure, field) !== null)
}

/** The inputs of a configuration: those that its type asks for or, without any, one for its JSON. */
export function ConfigFields({
  type: { fields, secrets },
  isNew,
  failure,
  draft,
  onDraft,
}: {
  readonly type: ChannelType
  /** Else a secret can be left empty: then it stays. */
  readonly isNew: boolean
  /** Why the configuration was rejected. */
  readonly failure: Failure | null
  readonly draft: ConfigDraft
  readonly onDraft: (draft: ConfigDraft) => void
}) {
  const bind = (member: string) => ({
    value: draft[member] ?? '',
    onValue: (value: string) => onDraft({ ...draft, [member]: value }),
  })
  if (fields === null) {
    return (
      <TextArea
        label={text.config}
        hint={text.configHint}
        rows={5}
        spellcheck={false}
        error={failure?.message ?? null}
        {...bind(WHOLE)}
      />
    )
  }
  return (
    <>
      {fields.map((field) => (
        <ConfigInput
          key={field.name}
          field={field}
          isKept={!isNew && secrets.includes(field.name)}
          error={errorOf(failure, field)}
          {...bind(field.name)}
        />
      ))}
    </>
  )
}

function ConfigInput({
  field: { label, hint, kind, optional },
  isKept,
  ...input
}: {
  readonly field: ConfigField
  /** Whether it keeps a secret that is there when it is left empty. */
  readonly isKept: boolean
  readonly error: string | null
  readonly value: string
  readonly onValue: (value: string) => void
}) {
  const common = {
    label,
    hint: isKept ? text.keepSecret : (hint ?? undefined),
    required: !optional && !isKept,
  }
  if (kind === 'list') return <TextArea rows={3} {...common} {...input} />
  return (
    <TextInput type={kind} autocomplete="off" placeholder={isKept ? '********' : ''} {...common} {...input} />
  )
}
