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
      'Needs no sign-in: whoever has the link reads the campaign. 404 of a link that was replaced or revoked.',
    params,
    reply: 'page',
    failures: { not_found: 404 },
  }),
  sponsorCsv: route({
    ...sponsor,
    path: '/sponsor/:token.csv',
    summary: "Download a campaign's days as CSV",
    description:
      'Returns each UTC day, oldest first, with what counted and what did not by reason. `remaining_budget_usd` is what ' +
      'the budget of now leaves after the day; `projected_end` is the same in each line, and empty where none is known.',
    params,
    reply: 'stream',
    media: 'text/csv',
    failures: { not_found: 404 },
  }),
}
