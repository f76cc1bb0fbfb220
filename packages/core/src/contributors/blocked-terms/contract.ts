import * as z from 'zod'
import { DateTime, Name, True, Whole } from '../../http/fields.ts'
import { route } from '../../http/route.ts'
import { maxTerms } from './rules.ts'

const eitherWay = { auth: 'bearer-or-cookie', envelope: 'ok', path: '/api/account/blocked-terms' } as const
const form = { auth: 'page', envelope: 'ok', path: '/blocked-terms', reply: 'page', failures: {} } as const

/** The terms of a request: words, names or phrases, each on one line. */
export const Terms = z.array(Name(2, 128)).max(maxTerms)

const BlockedTerms = z
  .object({
    ok: True,
    terms: z.array(z.string()).describe('as they were saved, without repetitions'),
    updatedAt: DateTime.nullable(),
    pending: Whole.describe('unsold traces that were stored before the last change and must still be scrubbed again'),
  })
  .meta({ id: 'BlockedTerms' })

/** The terms that a person wants replaced in all of their traces. Operators have no route that shows these terms. */
export const blockedTermsContract = {
  readBlockedTerms: route({
    ...eitherWay,
    method: 'GET',
    summary: 'List blocked terms',
    description: "Returns the terms that are replaced with `[BLOCKED_1]` in the caller's traces.",
    query: z.object({}),
    reply: BlockedTerms,
    failures: {},
  }),
  saveBlockedTerms: route({
    ...eitherWay,
    method: 'PUT',
    summary: 'Set blocked terms',
    description:
      'Replaces the list. Terms are found as whole words in any case, also inside encodings. Stored traces ' +
      'that are not sold are scrubbed again in the background.',
    body: z.object({ terms: Terms.describe(`at most ${maxTerms} terms of 2 to 128 characters`) }),
    reply: BlockedTerms,
    failures: {},
  }),
  blockedTermsPage: route({
    ...form,
    method: 'GET',
    summary: 'Show the blocked terms page',
  }),
  blockedTermsForm: route({
    ...form,
    method: 'POST',
    summary: 'Submit the blocked terms form',
    description: 'Replaces the list with the lines of the field.',
    form: z.object({ terms: z.string().max(64 * 1024) }),
    success: [303, 400],
  }),
}
