import { useEffect, useRef, useState } from 'preact/hooks'
import { logIn } from '../state/session.js'
import { entered, loginKind, loginUrl, startFailure } from '../state/start.js'
import { text } from '../texts/index.js'
import { FormError, TextInput, useSubmit } from '../ui/form.js'
import { BrandMark } from '../ui/icon.js'

function LoginForm() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const [needsCode, setNeedsCode] = useState(false)
  const asksForCode = needsCode || failure?.field === 'mfa_code'
  const form = useRef<HTMLFormElement>(null)
  // At first the email, and then the code when it is asked for.
  useEffect(
    () => [...(form.current?.querySelectorAll('input') ?? [])].at(asksForCode ? -1 : 0)?.focus(),
    [asksForCode],
  )
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (asksForCode) setNeedsCode(true)
    const credentials = { email, password, ...(asksForCode && code !== '' ? { mfaCode: code } : {}) }
    if (await submit(() => logIn(credentials))) await entered()
  }
  return (
    <form ref={form} onSubmit={(event) => void onSubmit(event)}>
      <TextInput
        label={text.login.email}
        type="email"
        autocomplete="username"
        required
        value={email}
        onValue={setEmail}
        error={errorOf('email')}
      />
      <TextInput
        label={text.login.password}
        type="password"
        autocomplete="current-password"
        required
        value={password}
        onValue={setPassword}
        error={errorOf('password')}
      />
      {asksForCode && (
        <TextInput
          label={text.login.code}
          hint={text.login.codeHint}
          autocomplete="one-time-code"
          inputMode="text"
          value={code}
          onValue={setCode}
          error={needsCode ? errorOf('mfa_code') : null}
        />
      )}
      <FormError failure={failure} fields={['email', 'password', 'mfa_code']} />
      <button class="button button-primary button-wide" disabled={isBusy}>
        {isBusy ? text.login.busy : text.login.submit}
      </button>
    </form>
  )
}

function HostLogin() {
  return (
    <>
      <p>{text.login.host}</p>
      {loginUrl.value !== null && (
        <a class="button button-primary button-wide" href={loginUrl.value}>
          {text.login.hostLink}
        </a>
      )}
    </>
  )
}

const forms = {
  taskboard: () => <LoginForm />,
  host: () => <HostLogin />,
  none: () => <p>{text.login.none}</p>,
} as const

/** Asks who is there. */
export function LoginPage() {
  const refusal = startFailure.value
  return (
    <main class="login">
      <h1>
        <BrandMark />
        {text.product}
      </h1>
      {refusal !== null && (
        <p class="form-error" role="alert">
          {refusal.message}
          {refusal.requestId !== null && <small> {text.errors.request(refusal.requestId)}</small>}
        </p>
      )}
      {forms[loginKind.value]()}
    </main>
  )
}
