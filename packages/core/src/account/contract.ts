import * as z from 'zod'
import { Uuid } from '../http/fields.ts'
import { route } from '../http/route.ts'

const shared = { path: '/account', auth: 'page', envelope: 'ok', reply: 'page', failures: {} } as const
const Ticked = () => z.literal('yes').optional()

/** What a form of the page asks for. `revoke` needs the id of the machine or browser; `erase` asks first, unless it is `confirmed`. */
export const actions = ['revoke', 'pause', 'resume', 'consent', 'erase'] as const

/** The account in a browser: machines, pause, consent, export, erasure. The same as the JSON routes of `/api/account`, without script. */
export const accountContract = {
  accountPage: route({
    ...shared, method: 'GET', summary: 'Machines, pause, consent, export and erasure in a browser',
    query: () => z.object({ done: z.string().max(32).optional() }),
  }),
  accountForm: route({
    ...shared, method: 'POST', summary: 'The forms of /account; erasing asks first, and takes a sign-in within the last 15 minutes',
    form: () => z.object({ action: z.enum(actions), id: Uuid().optional(), attribution: Ticked(), pixel: Ticked(), confirmed: Ticked() }),
    success: [200, 303, 400],
  }),
  erasePage: route({
    ...shared, path: '/account/erase', method: 'GET',
    summary: 'Ask before erasing the account, after another sign-in unless there was one within the last 15 minutes',
  }),
}
