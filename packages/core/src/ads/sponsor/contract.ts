import * as z from 'zod'
import { route } from '../../http/route.ts'

const sponsor = { method: 'GET', auth: 'none', envelope: 'ok', rates: ['events'] } as const
const params = z.object({ token: z.string() })

export const sponsorContract = {
  sponsorPage: route({
    ...sponsor,
    path: '/sponsor/:token',
    summary: "Show a campaign's figures to its sponsor",
    description:
      'Needs no sign-in, because everybody who has the link may read the campaign. Returns 404 for a link that was replaced or revoked.',
    params,
    reply: 'page',
    failures: { not_found: 404 },
  }),
  sponsorCsv: route({
    ...sponsor,
    path: '/sponsor/:token.csv',
    summary: "Download a campaign's days as CSV",
    description:
      'Returns each UTC day, oldest first, with counted impressions, and uncounted ones by reason. `remaining_budget_usd` is ' +
      'the rest of the current budget after the day; `projected_end` is the same in each line, or empty; `corrections_usd` ' +
      'is the amount that the operator added or subtracted that day.',
    params,
    reply: 'stream',
    media: 'text/csv',
    failures: { not_found: 404 },
  }),
  sponsorMonthsCsv: route({
    ...sponsor,
    path: '/sponsor/:token/months.csv',
    summary: "Download a campaign's months as CSV",
    description:
      'Returns each UTC month, oldest first. A month closes on the third of the next one, and does not change after that: ' +
      'a later correction is in the month in which it is made. `total_usd` is `spend_usd` plus `corrections_usd`.',
    params,
    reply: 'stream',
    media: 'text/csv',
    failures: { not_found: 404 },
  }),
}
