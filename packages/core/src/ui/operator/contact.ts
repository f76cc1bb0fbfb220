import { html, type Html, messagesOf } from '../html.ts'
import { adminContributorsMessages } from '../../messages/admin/contributors.ts'
import { addressText, renderUnverifiedAddress } from './pages.ts'

const message = messagesOf(adminContributorsMessages)

/** The person to write to about contributions and payouts. */
export interface Contact {
  readonly name: string
  readonly email: string
  readonly phone: string | null
}

export type DetailRow = readonly [name: Html, value: Html | string | null]

/**
 * Renders an address that a person gave, with a remark that says whether the address is the verified address of the
 * account.
 */
export const personAddress = (address: string, verified: string | null): Html =>
  address === verified
    ? html`${addressText(address)} <small>${message('contributors.sameAddress')}</small>`
    : renderUnverifiedAddress(address)

/**
 * Returns the rows of a contact, or a row that says that there is no contact. `verified` is the address of the account.
 */
export const contactRows = (contact: Contact | null, verified: string | null): readonly DetailRow[] =>
  contact === null
    ? [[message('contributors.contact'), message('contributors.noContact')]]
    : [
        [message('contributors.contactName'), html`<bdi>${contact.name}</bdi>`],
        [message('contributors.contactEmail'), personAddress(contact.email, verified)],
        [message('contributors.contactPhone'), contact.phone && html`<bdi>${contact.phone}</bdi>`],
      ]

/** Renders rows as a list of names and values. Rows without a value are left out. */
export const detailList = (rows: readonly DetailRow[]): Html =>
  html`<dl>
    ${rows
      .filter(([, value]) => value)
      .map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
  </dl>`
