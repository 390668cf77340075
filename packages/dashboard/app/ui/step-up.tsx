import { client } from '../state/api.js'
import { owedProof } from '../state/proof.js'
import { text } from '../texts/index.js'
import { FormDialog } from './form-dialog.js'
import { TextInput, useForm } from './form.js'

function StepUpForm({ answer }: { readonly answer: (isProven: boolean) => void }) {
  const form = useForm({ password: '', code: '' })
  const asksForCode = form.failure?.field === 'mfa_code' || form.draft.code !== ''
  const send = async (): Promise<void> => {
    const { password, code } = form.draft
    await client.auth.stepUp({ password, ...(code === '' ? {} : { mfa_code: code.trim() }) })
    answer(true)
  }
  return (
    <FormDialog
      form={form}
      title={text.stepUp.title}
      action={text.stepUp.submit}
      send={send}
      onClose={() => answer(false)}
    >
      <p>{text.stepUp.about}</p>
      <TextInput
        label={text.login.password}
        type="password"
        autocomplete="current-password"
        required
        autofocus
        {...form.field('password')}
      />
      {asksForCode && (
        <TextInput
          label={text.login.code}
          hint={text.login.codeHint}
          autocomplete="one-time-code"
          inputMode="text"
          {...form.field('code', 'mfa_code')}
        />
      )}
    </FormDialog>
  )
}

/** The place of the question. */
export function StepUp() {
  const answer = owedProof.value
  return answer === null ? null : <StepUpForm answer={answer} />
}
