import { TaskboardApiError, type BeginMfaAnswer } from '@taskboard/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../state/api.js'
import { announce, inform } from '../state/notices.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { FormError, TextInput, useSubmit } from '../ui/form.js'
import { CopyButton } from '../ui/secret.js'
import { encode } from 'uqr'

const text = sectionsText.login

type Step =
  | { readonly at: 'start' }
  | { readonly at: 'scan'; readonly begun: BeginMfaAnswer }
  | { readonly at: 'codes'; readonly codes: readonly string[] }
  | { readonly at: 'remove'; readonly isEnrolled: boolean }

/** Turns the second factor of a login on and off. */
export function SecondFactor() {
  const [step, setStep] = useState<Step>({ at: 'start' })
  return (
    <section class={`panel ${step.at === 'codes' ? 'panel-print' : ''}`} aria-labelledby="factor">
      <h3 id="factor">{text.factor}</h3>
      {step.at === 'start' && <Start onStep={setStep} />}
      {step.at === 'scan' && <Scan begun={step.begun} onStep={setStep} />}
      {step.at === 'codes' && <RecoveryCodes codes={step.codes} onDone={() => setStep({ at: 'start' })} />}
      {step.at === 'remove' && <Remove isEnrolled={step.isEnrolled} onStep={setStep} />}
    </section>
  )
}

type OnStep = (step: Step) => void

/** Moves the focus to the first input of a form that took the place of another. */
function useFirstInput() {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  return form
}

function Start({ onStep }: { readonly onStep: OnStep }) {
  const { failure, isBusy, submit } = useSubmit()
  const begin = () =>
    submit(async () => {
      try {
        onStep({ at: 'scan', begun: await client.account.mfa.begin({}) })
      } catch (error) {
        // Whoever is enrolled can only end that.
        if (!(error instanceof TaskboardApiError) || error.status !== 409) throw error
        onStep({ at: 'remove', isEnrolled: true })
      }
    })
  return (
    <>
      <p class="quiet">{text.factorAbout}</p>
      <FormError failure={failure} />
      <div class="actions">
        <button type="button" class="button button-primary" disabled={isBusy} onClick={() => void begin()}>
          {text.begin}
        </button>
        <button type="button" class="button" onClick={() => onStep({ at: 'remove', isEnrolled: false })}>
          {text.turnOff}
        </button>
      </div>
    </>
  )
}

function Scan({ begun, onStep }: { readonly begun: BeginMfaAnswer; readonly onStep: OnStep }) {
  const form = useFirstInput()
  const [code, setCode] = useState('')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      const { recovery_codes: codes } = await client.account.mfa.confirm({ mfa_code: code.trim() })
      announce(text.isOn)
      onStep({ at: 'codes', codes })
    })
  }
  return (
    <form ref={form} class="enrol" onSubmit={(event) => void onSubmit(event)}>
      <p>{text.scan}</p>
      <QrCode value={begun.otpauth_uri} label={text.qr} />
      <p>{text.manual}</p>
      <div class="secret">
        <code tabIndex={0}>{begun.secret}</code>
        <CopyButton value={begun.secret} />
      </div>
      <TextInput
        label={text.code}
        inputMode="numeric"
        autocomplete="one-time-code"
        required
        maxLength={64}
        value={code}
        onValue={setCode}
        error={errorOf('mfa_code')}
      />
      <FormError failure={failure} fields={['mfa_code']} />
      <FactorActions submit={text.confirm} isBusy={isBusy} onCancel={() => onStep({ at: 'start' })} />
    </form>
  )
}

function FactorActions({
  submit,
  isBusy,
  onCancel,
}: {
  readonly submit: string
  readonly isBusy: boolean
  readonly onCancel: () => void
}) {
  return (
    <div class="actions">
      <button class="button button-primary" disabled={isBusy}>
        {submit}
      </button>
      <button type="button" class="button" onClick={onCancel}>
        {common.actions.cancel}
      </button>
    </div>
  )
}

function RecoveryCodes({
  codes,
  onDone,
}: {
  readonly codes: readonly string[]
  readonly onDone: () => void
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <>
      <h4 ref={heading} tabIndex={-1}>
        {text.recovery}
      </h4>
      <p>{text.recoveryHint}</p>
      <ol class="recovery">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="actions">
        <CopyButton value={codes.join('\n')} />
        <button type="button" class="button button-small" onClick={() => print()}>
          {text.print}
        </button>
        <button type="button" class="button button-small" onClick={onDone}>
          {text.done}
        </button>
      </div>
    </>
  )
}

function Remove({ isEnrolled, onStep }: { readonly isEnrolled: boolean; readonly onStep: OnStep }) {
  const form = useFirstInput()
  const [code, setCode] = useState('')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await submit(async () => {
      await client.account.mfa.remove({ mfa_code: code.trim() })
      inform(text.off)
      onStep({ at: 'start' })
    })
  }
  return (
    <form ref={form} class="enrol" onSubmit={(event) => void onSubmit(event)}>
      {isEnrolled && <p role="status">{text.enrolled}</p>}
      <TextInput
        label={text.removeCode}
        autocomplete="one-time-code"
        required
        maxLength={64}
        value={code}
        onValue={setCode}
        error={errorOf('mfa_code')}
      />
      <FormError failure={failure} fields={['mfa_code']} />
      <FactorActions submit={text.removeTitle} isBusy={isBusy} onCancel={() => onStep({ at: 'start' })} />
    </form>
  )
}

/** What scanners need around the code. */
const BORDER = 4

/** The dark modules as one path: a square each. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
}

/** A QR code, drawn dark on light in both color schemes. */
function QrCode({ value, label }: { readonly value: string; readonly label: string }) {
  const { data, size } = encode(value, { ecc: 'M', border: BORDER })
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} class="qr-light" />
      <path d={pathOf(data)} class="qr-dark" />
    </svg>
  )
}
