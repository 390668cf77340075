import { useEffect, useRef, useState } from 'preact/hooks'
import { logIn, type Addressee } from '../state/session.js'
import {
  acceptLink,
  entered,
  loginKind,
  loginUrl,
  offered,
  refuseLink,
  startFailure,
} from '../state/start.js'
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

/** Asks before a login link is used: anyone could have brought the person here. */
function LinkForm({ email, accountName }: Addressee) {
  const { failure, isBusy, submit } = useSubmit()
  const accept = async (): Promise<void> => {
    if (await submit(() => acceptLink(null))) await entered()
  }
  return (
    <section aria-labelledby="link">
      <h2 id="link">{text.login.asLink(email, accountName)}</h2>
      <p class="quiet">{text.login.asLinkAbout}</p>
      <FormError failure={failure} />
      <div class="actions">
        <button type="button" class="button button-primary" disabled={isBusy} onClick={() => void accept()}>
          {isBusy ? text.login.busy : text.login.asLinkSubmit}
        </button>
        <button type="button" class="button" onClick={refuseLink}>
          {text.login.asLinkRefuse}
        </button>
      </div>
    </section>
  )
}

/** Makes the person who was invited a member. */
function JoinForm({ email, accountName }: Addressee) {
  const [password, setPassword] = useState('')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (await submit(() => acceptLink(password))) await entered()
  }
  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      <h2>{text.login.join(email, accountName)}</h2>
      <p class="quiet">{text.login.joinAbout}</p>
      <input type="hidden" autocomplete="username" value={email} />
      <TextInput
        label={text.login.joinPassword}
        hint={text.login.joinHint}
        type="password"
        autocomplete="new-password"
        required
        autofocus
        value={password}
        onValue={setPassword}
        error={errorOf('password')}
      />
      <FormError failure={failure} fields={['password']} />
      <div class="actions">
        <button class="button button-primary" disabled={isBusy}>
          {text.login.joinSubmit}
        </button>
        <button type="button" class="button" onClick={refuseLink}>
          {text.login.asLinkRefuse}
        </button>
      </div>
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

function Way() {
  const offer = offered.value
  if (offer === null) return forms[loginKind.value]()
  return offer.kind === 'code' ? <LinkForm {...offer} /> : <JoinForm {...offer} />
}

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
      <Way />
    </main>
  )
}
