import { useState } from 'preact/hooks'
import { client } from '../state/api.js'
import type { Webhook } from '../state/wire.js'
import { formatExact } from '../texts/format.js'
import { text as common } from '../texts/index.js'
import { sectionsText } from '../texts/sections.js'
import { Dialog } from '../ui/dialog.js'
import { FormError, Select, useSubmit } from '../ui/form.js'
import { FormActions } from './section.js'

const text = sectionsText.webhooks
const overlaps = ['0', '3600', '86400', '604800', '2592000'] as const
const MS_PER_S = 1_000

/** A new secret, and how long the old one is valid. */
export interface RotatedSecret {
  readonly secret: string
  readonly note: string
}

function noteOf(overlapS: number): string {
  return overlapS === 0 ? text.onceNow : text.once(formatExact(Date.now() + overlapS * MS_PER_S))
}

/** Replaces the secret of a webhook. */
export function RotateSecret({
  webhook,
  onClose,
  onRotated,
}: {
  readonly webhook: Webhook
  readonly onClose: () => void
  readonly onRotated: (secret: RotatedSecret) => void
}) {
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>('86400')
  const { failure, isBusy, submit } = useSubmit()
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const overlapS = Number(overlap)
    await submit(async () => {
      const { secret } = await client.webhooks.rotateSecret(webhook.id, { overlap_s: overlapS })
      onClose()
      onRotated({ secret, note: noteOf(overlapS) })
    })
  }
  return (
    <Dialog title={text.rotateTitle} onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <p>{text.rotateMessage}</p>
        <Select
          label={text.overlap}
          value={overlap}
          options={overlaps.map((one) => [one, text.overlaps[one]] as const)}
          onValue={setOverlap}
        />
        <FormError failure={failure} />
        <FormActions
          submit={text.rotateSubmit}
          isBusy={isBusy}
          cancel={common.actions.cancel}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}
