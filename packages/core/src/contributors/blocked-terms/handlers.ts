import { fail } from '../../http/failures.ts'
import type { Html } from '../../ui/html.ts'
import { check } from '../../http/parse.ts'
import { redirect, reply, mount, type Handlers, type Mounted, type User } from '../../http/route.ts'
import { timestampOrNull } from '../../ids.ts'
import { blockedTermsContract, Terms } from './contract.ts'
import { blockedTermsMessage as message, blockedTermsPage } from './pages.ts'
import { listLines, maxTerms, removeRepetitions } from './rules.ts'
import type { BlockedTermStore } from './store.ts'

export interface BlockedTermsDeps {
  readonly store: BlockedTermStore
  /** Counts a person's stale traces; `service/contributors.ts` binds this function to the traces. */
  readonly countStaleTraces: (ownerId: string) => Promise<number>
  readonly prefix: string
}

/** The maximum number of attempts to add a term. An attempt fails if the list changes at the same time. */
const maxAddAttempts = 5

async function describeTerms({ id: ownerId }: User, { store, countStaleTraces }: BlockedTermsDeps) {
  const { terms, updatedAt } = await store.findTerms({ ownerId })
  const pending = await countStaleTraces(ownerId)
  return { ok: true as const, terms: [...terms], updatedAt: timestampOrNull(updatedAt), pending }
}

async function renderPage(
  user: User,
  deps: BlockedTermsDeps,
  view: { text?: string; errors?: readonly Html[]; isSaved?: boolean },
): Promise<string> {
  const { terms, pending } = await describeTerms(user, deps)
  const { text = terms.join('\n'), errors = [], isSaved = false } = view
  return blockedTermsPage({ prefix: deps.prefix, email: user.email, text, pending, isSaved, errors })
}

/**
 * Adds a term of 2 to 128 characters to a person's list. Returns false when the list is full, or changed during every
 * attempt.
 */
export async function addBlockedTerm(
  { ownerId, term, now }: { readonly ownerId: string; readonly term: string; readonly now: number },
  store: BlockedTermStore,
): Promise<boolean> {
  for (let attempt = 0; attempt < maxAddAttempts; attempt++) {
    const { terms } = await store.findTerms({ ownerId })
    const more = removeRepetitions([...terms, term])
    if (more.length > maxTerms) return false
    if (await store.saveTerms({ ownerId, terms: more, now, replaces: terms })) return true
  }
  return false
}

/** Returns the error of each line that `Terms` refuses. */
function explain(lines: readonly string[], issues: readonly { readonly path: readonly (string | number)[] }[]): Html[] {
  if (lines.length > maxTerms) return [message('blocked.tooMany', { count: maxTerms, entered: lines.length })]
  const numbers = [...new Set(issues.map(({ path }) => Number(path[0]) + 1))]
  return numbers.map((position) => message('blocked.length', { position }))
}

const blockedTermsHandlers: Handlers<typeof blockedTermsContract, BlockedTermsDeps> = {
  readBlockedTerms: ({ user }, deps) => describeTerms(user, deps),

  async saveBlockedTerms({ user, body, now }, deps) {
    const isSaved = await deps.store.saveTerms({ ownerId: user.id, terms: removeRepetitions(body.terms), now })
    return isSaved ? describeTerms(user, deps) : fail('unauthorized')
  },

  blockedTermsPage: ({ user, flash }, deps) => renderPage(user, deps, { isSaved: flash?.done === 'saved' }),

  async blockedTermsForm({ user, body, now }, deps) {
    const text = body.fields['terms'] ?? ''
    const lines = listLines(text)
    const checked = check(Terms, lines)
    if (!body.value || 'issues' in checked) {
      const errors = 'issues' in checked ? explain(lines, checked.issues) : [message('blocked.none')]
      return reply(400, await renderPage(user, deps, { text, errors }))
    }
    const isSaved = await deps.store.saveTerms({ ownerId: user.id, terms: removeRepetitions(checked.value), now })
    return isSaved ? redirect('/blocked-terms', { done: 'saved' }) : fail('unauthorized')
  },
}

/** Binds the routes of blocked terms to their handlers. */
export const mountBlockedTerms = (deps: BlockedTermsDeps): Mounted[] =>
  mount(blockedTermsContract, blockedTermsHandlers, deps)
