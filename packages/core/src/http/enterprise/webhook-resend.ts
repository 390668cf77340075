import { z } from 'zod'
import { idText, instantText } from './wire-schemas.js'

/** Selects one delivery or a time range. */
export const resendBody = z
  .object({
    delivery_id: idText.optional(),
    from: instantText.optional(),
    to: instantText.optional(),
  })
  .superRefine(({ delivery_id: deliveryId, from, to }, context) => {
    if (deliveryId !== undefined) return
    if (from === undefined && to === undefined)
      context.addIssue({ code: 'custom', path: ['delivery_id'], message: 'is required, or from and to' })
    else if (from === undefined || to === undefined)
      context.addIssue({ code: 'custom', path: [from === undefined ? 'from' : 'to'], message: 'is required' })
    else if (from >= to) context.addIssue({ code: 'custom', path: ['to'], message: 'must be after from' })
  })
