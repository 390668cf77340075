import { signal } from '@preact/signals'
import { Confirm } from './dialog.js'

interface Question {
  readonly title: string
  readonly message: string
  /** What the button says that continues. */
  readonly action: string
}

const asked = signal<(Question & { readonly answer: (isYes: boolean) => void }) | null>(null)

/** Asks a person before something is done. Resolves to whether to do it; another question answers this one with no. */
export function ask(question: Question): Promise<boolean> {
  asked.peek()?.answer(false)
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer(isYes) {
        asked.value = null
        resolve(isYes)
      },
    }
  })
}

/** The place of the question. */
export function Questions() {
  const question = asked.value
  if (question === null) return null
  const { answer, ...shown } = question
  return (
    <Confirm key={question.title} {...shown} onConfirm={() => answer(true)} onClose={() => answer(false)} />
  )
}
