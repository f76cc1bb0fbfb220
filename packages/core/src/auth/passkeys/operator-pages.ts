import { field, html, type Html, messagesOf, notice } from '../../ui/html.ts'
import { passkeyMessages } from '../../messages/admin/passkeys.ts'
import { tokenForm } from '../pages.ts'
import { obstacleText, passkeyForm } from './pages.ts'
import type { PasskeyObstacle, registerPasskey, removePasskey, StoredPasskey } from './handlers.ts'
import type { SignedInOperator } from '../../http/authenticate.ts'
import { isRecent } from '../recent-sign-in.ts'
import { timestamp, timestampOrNull } from '../../ids.ts'
import type { AuditContext } from '../../audit/store.ts'
import type { FormSection, ItemPage, Outcome, SectionListParams } from '../../admin/contract.ts'
import type { Column } from '../../ui/table.ts'
import { listTable, message as shared, questionPage, sectionPath, time } from '../../ui/operator/pages.ts'

const message = messagesOf(passkeyMessages)

export interface KeysSectionDeps {
  readonly prefix: string
  /** The reason why no passkey can be registered, or null. */
  readonly obstacle: PasskeyObstacle | null
  /** Lists the passkeys of an operator, or of all operators if null. */
  readonly list: (operator: string | null) => Promise<StoredPasskey[]>
  readonly register: (
    asked: Parameters<typeof registerPasskey>[0],
    operator: SignedInOperator,
    audit: AuditContext,
  ) => ReturnType<typeof registerPasskey>
  readonly remove: (id: string, operator: SignedInOperator, audit: AuditContext) => ReturnType<typeof removePasskey>
}

/** Returns the section of passkeys, which lists the passkeys of all operators, or for a viewer only their own. */
export function keysSection({ prefix, obstacle, list, register, remove }: KeysSectionDeps): FormSection<'keys'> {
  const listFor = ({ name, role }: SignedInOperator) => list(role === 'viewer' ? name : null)
  return {
    id: 'keys',
    filters: [],
    async show(shown) {
      const { operator, now } = shown
      const isFresh = isRecent(operator.signedInAt, now)
      const end = isFresh
        ? obstacle === null
          ? addForm(shown)
          : html`<p><button disabled>${message('passkeys.addButton')}</button></p>
              ${notice('info', obstacleText(obstacle))}`
        : html`<p>${message('passkeys.again')}</p>
            ${tokenForm({ prefix, next: sectionPath('keys') })}`
      return html`<p>${message('passkeys.intro')} ${message('passkeys.two')}</p>
        ${passkeyTable(prefix, await listFor(operator), isFresh)} ${end}`
    },
    actions: {
      async register(value, audit, _, operator): Promise<Outcome> {
        return { done: await register(value, operator, audit) }
      },
      async remove({ id, confirmed }, audit, _, operator) {
        if (confirmed === 'yes' || !isRecent(operator.signedInAt, audit.at))
          return { done: await remove(id, operator, audit) }
        const passkeys = await listFor(operator)
        const passkey = passkeys.find((one) => one.id === id)
        if (!passkey) return { done: 'not_found' }
        const isLast = !passkeys.some((one) => one.operator === passkey.operator && one.id !== id)
        return { done: 'question', page: removalQuestion(prefix, passkey, isLast) }
      },
    },
    notices: {
      added: { kind: 'done', text: () => message('passkeys.done.added') },
      removed: { kind: 'done', text: () => message('passkeys.done.removed') },
      not_found: { kind: 'error', text: () => message('passkeys.done.not_found') },
      exists: { kind: 'error', text: () => message('passkeys.done.exists') },
      too_many: { kind: 'error', text: () => message('passkeys.done.too_many') },
      denied: { kind: 'error', text: () => message('passkeys.denied') },
      no_session: { kind: 'error', text: () => message('passkeys.denied') },
      reauthentication_required: { kind: 'error', text: () => message('passkeys.again') },
    },
  }
}

const passkeyTable = (prefix: string, items: readonly StoredPasskey[], isFresh: boolean): Html =>
  listTable({
    caption: message('passkeys.caption'),
    empty: message('passkeys.none'),
    items,
    next: null,
    columns: [
      [message('passkeys.operator'), ({ operator }) => html`<bdi>${operator}</bdi>`],
      [message('passkeys.name'), ({ label }) => html`<bdi>${label}</bdi>`],
      [message('passkeys.domain'), ({ rpId }) => html`<bdi>${rpId}</bdi>`],
      [message('passkeys.added'), ({ createdAt }) => time(timestamp(createdAt))],
      [message('passkeys.used'), ({ usedAt }) => time(timestampOrNull(usedAt)) ?? message('passkeys.never')],
      ...(isFresh
        ? [[shared('admin.actions'), (passkey) => removalButton(prefix, passkey)] as Column<StoredPasskey>]
        : []),
    ],
  })

const removalButton = (prefix: string, { id, label, operator }: StoredPasskey): Html =>
  html`<form method="post" action="${prefix}/admin/keys/remove">
    <input type="hidden" name="id" value="${id}" />
    <button class="second small" aria-label="${message('passkeys.removeOne', { name: label, operator })}">
      ${message('passkeys.remove')}
    </button>
  </form>`

/** Renders the confirmation before a passkey is removed, with the actions that the passkey's operator will lose. */
function removalQuestion(prefix: string, { id, label, operator }: StoredPasskey, isLast: boolean): ItemPage {
  const name = html`<strong><bdi>${operator}</bdi></strong>`
  return questionPage({
    title: message('passkeys.removeTitle'),
    effect: html`<p>
      ${message('passkeys.removeEffect', { operator: name, name: html`<bdi>${label}</bdi>` })}
      ${isLast ? message('passkeys.removeLast', { operator: name }) : null}
    </p>`,
    action: `${prefix}/admin/keys/remove`,
    fields: { id, confirmed: 'yes' },
    button: message('passkeys.removeConfirm'),
    back: `${prefix}${sectionPath('keys')}`,
  })
}

/** Renders the form that registers a passkey of the operator. */
const addForm = ({ prefix, problem }: SectionListParams): Html =>
  html`<h2>${message('passkeys.add')}</h2>
    ${passkeyForm({
      prefix,
      purpose: 'registration',
      action: '/admin/keys/register',
      fields: field({
        name: 'name',
        label: message('passkeys.name'),
        hint: message('passkeys.nameHint'),
        maxlength: 64,
        value: problem?.form.fields['name'],
        error: problem?.action === 'register' ? message('passkeys.nameError') : undefined,
      }),
      button: message('passkeys.addButton'),
    })}`
