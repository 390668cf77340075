import { client } from '../state/api.js'
import type { Webhook } from '../state/wire.js'
import { formatExact } from '../texts/format.js'
import { sectionsText } from '../texts/sections.js'
import { FormDialog } from '../ui/form-dialog.js'
import { Select, useForm } from '../ui/form.js'

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
  const form = useForm<{ overlap: (typeof overlaps)[number] }>({ overlap: '86400' })
  const send = async (): Promise<void> => {
    const overlapS = Number(form.draft.overlap)
    const { secret } = await client.webhooks.rotateSecret(webhook.id, { overlap_s: overlapS })
    onClose()
    onRotated({ secret, note: noteOf(overlapS) })
  }
  return (
    <FormDialog form={form} title={text.rotateTitle} action={text.rotateSubmit} send={send} onClose={onClose}>
      <p>{text.rotateMessage}</p>
      <Select
        label={text.overlap}
        options={overlaps.map((one) => [one, text.overlaps[one]] as const)}
        {...form.field('overlap')}
      />
    </FormDialog>
  )
}
