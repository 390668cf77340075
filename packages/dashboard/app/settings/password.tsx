import { useState } from 'preact/hooks'
import { client } from '../state/api.js'
import { inform } from '../state/notices.js'
import { logOut } from '../state/session.js'
import { sectionsText } from '../texts/sections.js'
import { FormError, TextInput, useSubmit } from '../ui/form.js'

const text = sectionsText.login

/** Changes the password of the person who is logged in. */
export function Password() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [again, setAgain] = useState('')
  const [differs, setDiffers] = useState(false)
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setDiffers(next !== again)
    if (next !== again) return
    await submit(async () => {
      await client.account.setPassword({ current_password: current, password: next })
      inform(text.changed)
      // All sessions have ended, this one too.
      await logOut()
    })
  }
  return (
    <section class="panel" aria-labelledby="password">
      <h3 id="password">{text.password}</h3>
      <form class="enrol" onSubmit={(event) => void onSubmit(event)}>
        <TextInput
          label={text.current}
          type="password"
          autocomplete="current-password"
          required
          value={current}
          onValue={setCurrent}
          error={errorOf('current_password')}
        />
        <TextInput
          label={text.next}
          hint={text.nextHint}
          type="password"
          autocomplete="new-password"
          required
          value={next}
          onValue={setNext}
          error={errorOf('password')}
        />
        <TextInput
          label={text.again}
          type="password"
          autocomplete="new-password"
          required
          value={again}
          onValue={setAgain}
          error={differs ? text.differs : null}
        />
        <FormError failure={failure} fields={['current_password', 'password']} />
        <div>
          <button class="button button-primary" disabled={isBusy}>
            {text.submit}
          </button>
        </div>
      </form>
    </section>
  )
}
