import * as z from 'zod'
import { EnteredDollars, Name, RangeEnd, RangeStart } from '../../http/fields.ts'
import { sources } from '../../sources.ts'
import { detailFilters } from '../detail-schemas.ts'

/** The filter of the traces that the page shows and sells. It selects from the traces that may be sold. */
export const SaleFilter = z.object({
  source: z.enum(sources).optional(),
  model: z.string().min(1).max(128).optional(),
  neverSold: z.literal('true').optional(),
  ...z.object(detailFilters).partial().shape,
  from: RangeStart.optional(),
  to: RangeEnd.optional(),
  minTokens: z
    .string()
    .regex(/^\d{1,12}$/)
    .optional(),
})

/** The fields that the page requires before a sale is reviewed. */
export const SaleForm = z.object({
  buyer: Name(1, 256),
  usd: EnteredDollars,
  ...SaleFilter.shape,
})
