import type * as z from 'zod'
import { BuyerShape, BuyersQuery, ListedRemovalShape, RemovalsQuery } from './contract.ts'
import type { Withdrawal } from './store.ts'
import { Failure } from '../../http/failures.ts'
import { Uuid } from '../../http/fields.ts'
import { copyable, field, formError, html, type Html, mailUrl, messagesOf } from '../../ui/html.ts'
import { buyersMessages } from '../../messages/buyers.ts'
import type { MailText } from '../../outbox/store.ts'
import { buyerKey } from '../dataset/rules.ts'
import { type FindSoldTrace, saleLink } from '../dataset/sale-page.ts'
import { displayTitle } from '../names.ts'
import type {
  CapabilityAction,
  FindAddresses,
  FormSection,
  CapabilityHandler,
  ItemPage,
  List,
  Outcome,
  SectionListParams,
} from '../../admin/contract.ts'
import { type DetailRow, detailList } from '../../ui/operator/contact.ts'
import { listSection } from '../../ui/operator/list.ts'
import type { Column } from '../../ui/table.ts'
import {
  addressText,
  contributorLink,
  listPath,
  message as shared,
  questionPage,
  sectionPath,
  time,
  withdrawalPath,
} from '../../ui/operator/pages.ts'

const message = messagesOf(buyersMessages)

type Buyer = z.output<typeof BuyerShape>

type Removal = z.output<typeof ListedRemovalShape>

type Removals = z.output<typeof RemovalsQuery>

interface WithToken {
  readonly id: string
  readonly token: string
}

export interface BuyersSectionDeps {
  readonly list: CapabilityHandler<z.output<typeof BuyersQuery>, List<Buyer>>
  readonly listRemovals: CapabilityHandler<Removals, List<Removal>>
  /** Builds the mail that reminds a buyer of the deletions that it did not confirm. */
  readonly buildReminder: (buyer: string) => Promise<MailText>
  readonly create: CapabilityAction<{ name: string; email: string | undefined }, WithToken>
  readonly setEmail: CapabilityAction<{ id: string; email?: string | undefined }, unknown>
  readonly rotate: CapabilityAction<string, WithToken>
  readonly revoke: CapabilityAction<string, unknown>
  readonly findWithdrawal: (traceId: string) => Promise<Withdrawal | null>
  readonly findSoldTrace: FindSoldTrace
  readonly findAddresses: FindAddresses
  readonly withdraw: CapabilityAction<{ id: string; reason: string }, { readonly removals: number }>
  readonly prefix: string
  /** Returns the public URL of a path. */
  readonly link: (path: string) => string
}

/**
 * Returns the section of buyers. It lists their tokens, which are shown once, and the traces that the buyers must
 * delete.
 */
export function buyersSection(deps: BuyersSectionDeps): FormSection<'buyers'> {
  const tokenPanel = (name: string, { token }: WithToken): Html =>
    html`<div class="panel">
      <p><strong>${message('buyers.secret', { name: html`<bdi>${name}</bdi>` })}</strong></p>
      <p>${copyable(html`<code>${token}</code>`)}</p>
      <p class="hint">${message('buyers.secretHint', { link: html`<code>${deps.link('/buyer')}</code>` })}</p>
    </div>`
  const failed = ({ code }: Failure): Outcome => ({ done: code })
  const list = `${deps.prefix}${sectionPath('buyers')}`
  /** Returns the page that asks for confirmation before a buyer's token is replaced or revoked. */
  const askAbout = (action: 'rotate' | 'revoke', { id, name }: { id: string; name: string }): Outcome => {
    const text = { name: html`<bdi>${name}</bdi>` }
    return {
      done: 'question',
      page: questionPage({
        title: message(`buyers.${action}Ask`, text),
        effect: html`<p>${message(`buyers.${action}Effect`, text)}</p>`,
        action: `${list}/${action}`,
        fields: { id, name, confirmed: 'yes' },
        button: message(`buyers.${action}Confirm`),
        isDangerous: action === 'revoke',
        back: list,
      }),
    }
  }
  /**
   * Returns the confirmation page for withdrawing a trace, or an error if the ID is unknown or the trace is already
   * withdrawn.
   */
  async function askToWithdraw(entered: Entered): Promise<Outcome> {
    const found = await deps.findWithdrawal(entered.id)
    if (!found || found.isWithdrawn) {
      const code = found ? 'withdrawn' : 'not_found'
      return { done: 'refused', issues: [{ path: ['id'], code, message: code }] }
    }
    const rows = await traceRows(entered, found, deps)
    return { done: 'question', page: withdrawalQuestion(deps.prefix, entered, rows) }
  }

  const buyers = listSection({
    id: 'buyers',
    query: BuyersQuery,
    item: BuyerShape,
    load: deps.list,
    hint: message('buyers.searchFor'),
    empty: () => message('buyers.none'),
    view: (_: List<Buyer>, { prefix, problem }) => ({
      above: html`${sentAddress(problem) ? formError(message('buyers.error.addressNotSaved')) : null}
        <p>${message('buyers.intro')} ${message('buyers.notCreated')}</p>
        <p>${message('buyers.withdrawIntro')}</p>
        <p class="actions">
          <a class="button" href="${prefix}${sectionPath('buyers', 'new')}">${message('buyers.create')}</a>
          <a class="button second" href="${prefix}${sectionPath('buyers', 'withdrawal')}"
            >${message('buyers.withdraw')}</a
          >
        </p>`,
      columns: buyerColumns(prefix, sentAddress(problem)),
    }),
  })
  /** Renders a link for each buyer of these removals, which opens a reminder in the operator's e-mail program. */
  async function renderReminders(listed: readonly Removal[]): Promise<Html> {
    const ofBuyers = [...new Map(listed.map((removal) => [buyerKey(removal.buyer), removal])).values()]
    const links = ofBuyers.map(async ({ buyer, email }) =>
      email === null
        ? html`<span class="none">${message('buyers.noEmail', { name: html`<bdi>${buyer}</bdi>` })}</span>`
        : html`<a class="button second small" href="${mailUrl(email, await deps.buildReminder(buyer))}"
            >${message('buyers.remind', { name: html`<bdi>${buyer}</bdi>` })}</a
          >`,
    )
    return html`<div class="row">${await Promise.all(links)}</div>`
  }
  const createRemovalsList = (status: Removals['status']) =>
    listSection({
      id: 'buyers',
      query: RemovalsQuery,
      item: ListedRemovalShape,
      load: (query, now) => deps.listRemovals({ ...query, status }, now),
      hint: message('buyers.searchRemovals'),
      empty: () => message(status === 'open' ? 'buyers.openNone' : 'buyers.noneConfirmed'),
      view: async ({ items }: List<Removal>, { prefix }) => ({
        above:
          items.length === 0
            ? null
            : html`<p>${message(status === 'open' ? 'buyers.openText' : 'buyers.confirmedText')}</p>
                ${status === 'open' ? await renderReminders(items) : null}`,
        columns: removalColumns(prefix, status),
      }),
    })
  const removals = { unconfirmed: createRemovalsList('open'), confirmed: createRemovalsList('acknowledged') }
  const listOf = (filter: string | null) =>
    filter === 'unconfirmed' || filter === 'confirmed' ? removals[filter] : buyers
  return {
    id: 'buyers',
    filters: ['buyers', 'unconfirmed', 'confirmed'],
    needsFilter: true,
    defaultFilter: 'buyers',
    waitingFilter: 'unconfirmed',
    show: (shown) => listOf(shown.filter).show(shown),
    csv: {
      fieldsOf: (asked) => listOf(asked.filter).csv.fieldsOf(asked),
      load: (asked, cursor) => listOf(asked.filter).csv.load(asked, cursor),
    },
    async showItem(item, shown) {
      if (item === 'new') return { title: message('buyers.create'), body: createForm(shown) }
      if (item === 'withdrawal') return withdrawPage(shown, deps)
      return null
    },
    actions: {
      async create({ name, email, sale }, audit) {
        const made = await deps.create({ name, email }, audit)
        if (made instanceof Failure) return failed(made)
        const saleLink = (query: string): Html =>
          html`<a
            class="button"
            href="${listPath(deps.prefix, 'sales', { ...Object.fromEntries(new URLSearchParams(query)), buyer: name })}"
            >${message('buyers.toSale')}</a
          >`
        const page: ItemPage = {
          title: message('buyers.createdTitle', { name: html`<bdi>${name}</bdi>` }),
          body: html`${tokenPanel(name, made)}
            ${email === undefined ? html`<p>${message('buyers.createdNoEmail', { name: html`<bdi>${name}</bdi>` })}</p>` : null}
            <p class="actions">
              ${sale === undefined ? null : saleLink(sale)}
              <a ${sale === undefined ? html` class="button"` : null} href="${list}">${message('buyers.toAll')}</a>
              <a href="${list}/new">${message('buyers.createAnother')}</a>
            </p>`,
        }
        return { done: 'created', page }
      },
      async address(value, audit) {
        const changed = await deps.setEmail(value, audit)
        return changed instanceof Failure ? failed(changed) : { done: 'addressed' }
      },
      async rotate({ id, name, confirmed }, audit) {
        if (confirmed === undefined) return askAbout('rotate', { id, name })
        const made = await deps.rotate(id, audit)
        return made instanceof Failure ? failed(made) : { done: 'rotated', once: tokenPanel(name, made) }
      },
      async revoke({ id, name, confirmed }, audit) {
        if (confirmed === undefined) return askAbout('revoke', { id, name })
        const revoked = await deps.revoke(id, audit)
        return revoked instanceof Failure ? failed(revoked) : { done: 'revoked' }
      },
      async withdraw({ confirmed, ...value }, audit) {
        if (confirmed === undefined) return askToWithdraw(value)
        const withdrawn = await deps.withdraw(value, audit)
        if (withdrawn instanceof Failure) return failed(withdrawn)
        const done = { done: 'withdrawn', counts: [withdrawn.removals] }
        return value.sale === undefined ? done : { ...done, section: 'sales', item: value.sale }
      },
    },
    notices: {
      addressed: { kind: 'done', text: () => message('buyers.done.addressed') },
      rotated: { kind: 'done', text: () => message('buyers.done.rotated') },
      revoked: { kind: 'done', text: () => message('buyers.done.revoked') },
      withdrawn: { kind: 'done', text: ([count = 0]) => message('buyers.done.withdrawn', { count }) },
      buyer_exists: { kind: 'error', text: () => message('buyers.done.buyer_exists') },
      not_found: { kind: 'error', text: () => message('buyers.done.not_found') },
    },
  }
}

type SentFields = Readonly<Record<string, string>> | null

/** Returns the fields of the form that changes an address, if they were sent and are invalid. */
const sentAddress = (problem: SectionListParams['problem']): SentFields =>
  problem?.action === 'address' ? problem.form.fields : null

const buyerColumns = (prefix: string, sent: SentFields): readonly Column<Buyer>[] => [
  [
    message('buyers.name'),
    ({ name }) => html`<a href="${listPath(prefix, 'sales', { q: name })}"><bdi>${name}</bdi></a>`,
    undefined,
    'name',
  ],
  [message('buyers.email'), (buyer) => addressForm(prefix, buyer, sent?.['id'] === buyer.id ? sent : null)],
  [message('buyers.createdAt'), ({ createdAt }) => time(createdAt), undefined, 'createdAt'],
  [
    message('buyers.token'),
    ({ isActive, tokenAt }) =>
      html`<span class="tag ${isActive ? 'good' : 'bad'}"
          >${message(isActive ? 'buyers.active' : 'buyers.revoked')}</span
        >
        <small>${message('buyers.tokenSince', { time: time(tokenAt) ?? '' })}</small>`,
  ],
  [
    shared('admin.actions'),
    ({ id, name, isActive }) =>
      isActive
        ? html`${tokenForm(prefix, 'rotate', { id, name })} ${tokenForm(prefix, 'revoke', { id, name })}`
        : tokenForm(prefix, 'rotate', { id, name, confirmed: 'yes' }),
    'act',
  ],
]

/** Renders the address of a buyer, with a form that changes the address. `sent` is an invalid form, which stays open. */
const addressForm = (prefix: string, { id, name, email }: Buyer, sent: SentFields): Html =>
  html`${email === null ? html`<span class="none">${message('buyers.withoutEmail')}</span>` : addressText(email)}
    <details ${sent ? html` open` : null}>
      ${
        email === null
          ? html`<summary aria-label="${message('buyers.addEmailOf', { name })}">
              ${message('buyers.addEmail')}
            </summary>`
          : html`<summary aria-label="${message('buyers.editEmailOf', { name })}">
              ${message('buyers.editEmail')}
            </summary>`
      }
      <form class="review" method="post" action="${prefix}/admin/buyers/address">
        <input type="hidden" name="id" value="${id}" />
        <input
          type="email"
          name="email"
          value="${sent ? (sent['email'] ?? '') : (email ?? '')}"
          ${sent ? html`aria-invalid="true" aria-describedby="email-error-${id}"` : null}
          maxlength="254"
          size="30"
          aria-label="${message('buyers.emailOf', { name })}"
        />
        ${sent ? html`<small class="error" id="email-error-${id}">${message('buyers.error.email')}</small>` : null}
        <button class="second small" aria-label="${message('buyers.saveEmailOf', { name })}">
          ${message('buyers.saveEmail')}
        </button>
      </form>
    </details>`

const tokenForm = (
  prefix: string,
  action: 'rotate' | 'revoke',
  fields: { readonly id: string; readonly name: string; readonly confirmed?: 'yes' },
): Html =>
  html`<form method="post" action="${prefix}/admin/buyers/${action}">
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button
      class="${action === 'revoke' ? 'danger' : 'second'} small"
      aria-label="${message(`buyers.${action}One`, { name: fields.name })}"
    >
      ${message(`buyers.${action}`)}${fields.confirmed ? null : '…'}
    </button>
  </form>`

/** The fields of a withdrawal. `sale` is the sale from whose page it was started. */
interface Entered {
  readonly id: string
  readonly reason: string
  readonly sale?: string | undefined
}

/**
 * Describes a trace that an operator may withdraw. The contributor is named only to an operator who came from a sale,
 * which names them too.
 */
async function traceRows(
  { id, sale }: Pick<Entered, 'id' | 'sale'>,
  { title, sales }: Withdrawal,
  { prefix, findSoldTrace, findAddresses }: BuyersSectionDeps,
): Promise<DetailRow[]> {
  const userId = sale === undefined ? null : ((await findSoldTrace({ saleId: sale, traceId: id }))?.userId ?? null)
  return [
    [message('buyer.trace'), html`<bdi>${title === null ? message('buyers.untitled') : displayTitle(title)}</bdi>`],
    [message('buyers.traceId'), html`<code>${id}</code>`],
    [
      message('buyers.contributor'),
      userId && contributorLink(prefix, userId, (await findAddresses([userId])).get(userId)),
    ],
    [message('buyers.sales'), message('buyers.inSales', { count: sales })],
  ]
}

/** Renders the confirmation page for withdrawing a trace. */
const withdrawalQuestion = (prefix: string, { id, reason, sale }: Entered, rows: readonly DetailRow[]): ItemPage => ({
  ...questionPage({
    title: message('buyers.withdrawAsk'),
    effect: html`${detailList([...rows, [message('buyer.reason'), html`<bdi>${reason}</bdi>`]])}
      <p>${message('buyers.withdrawText')}</p>`,
    action: `${prefix}/admin/buyers/withdraw`,
    fields: { id, reason, sale, confirmed: 'yes' },
    button: message('buyers.withdrawConfirm'),
    back: sale === undefined ? withdrawalPath(prefix, id) : `${prefix}${sectionPath('sales', sale)}`,
  }),
  ...(sale === undefined ? {} : { back: saleLink(prefix, sale) }),
})

const removalColumns = (prefix: string, status: Removals['status']): readonly Column<Removal>[] => [
  [message('buyers.buyer'), ({ buyer }) => html`<bdi>${buyer}</bdi>`],
  [
    message('buyers.sale'),
    ({ saleId }) => html`<a href="${prefix}${sectionPath('sales', saleId)}"><code>${saleId}</code></a>`,
  ],
  [
    message('buyers.buyerTraceId'),
    ({ saleId, buyerTraceId }) =>
      html`<a href="${prefix}${sectionPath('sales', saleId)}?q=${buyerTraceId}"><code>${buyerTraceId}</code></a>`,
  ],
  [message('buyer.reason'), ({ reason }) => message(`buyer.reason.${reason}`)],
  [message('buyer.since'), ({ at }) => time(at), undefined, 'at'],
  ...(status === 'open'
    ? []
    : ([[message('buyers.confirmedAt'), ({ acknowledgedAt }: Removal) => time(acknowledgedAt)]] as const)),
]

/** A field of a form of this section, with the text of its error. */
type EntryField = Omit<Parameters<typeof field>[0], 'error'> & { readonly name: 'name' | 'email' | 'id' | 'reason' }

/** Renders a form with the values that were entered before it was refused. */
function entryForm(
  { prefix, problem }: Pick<SectionListParams, 'prefix' | 'problem'>,
  action: 'create' | 'withdraw',
  fields: readonly EntryField[],
  button: Html,
  hidden: Readonly<Record<string, string | undefined>> = {},
  cancelPath = sectionPath('buyers'),
): Html {
  const failed = problem?.action === action ? problem.form : null
  const findError = (name: EntryField['name']): Html | undefined => {
    const issue = failed?.issues.find(({ path }) => path[0] === name)
    if (!issue) return undefined
    const key = `buyers.error.${name}.${issue.code}`
    return message(Object.hasOwn(buyersMessages, key) ? (key as 'buyers.error.id.withdrawn') : `buyers.error.${name}`)
  }
  return html`${failed ? formError() : null}
    <form method="post" action="${prefix}/admin/buyers/${action}">
      <input type="hidden" name="item" value="${action === 'create' ? 'new' : 'withdrawal'}" />
      ${Object.entries(hidden).map(([name, value = failed?.fields[name]]) =>
        value === undefined ? null : html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      ${fields.map((one) => field({ ...one, value: failed?.fields[one.name] ?? one.value, error: findError(one.name) }))}
      <p class="actions">
        <button>${button}</button>
        <a href="${prefix}${cancelPath}">${shared('admin.cancel')}</a>
      </p>
    </form>`
}

const createForm = (shown: SectionListParams): Html =>
  entryForm(
    shown,
    'create',
    [
      {
        name: 'name',
        label: message('buyers.name'),
        hint: message('buyers.nameHint'),
        maxlength: 256,
        value: new URLSearchParams(shown.query['sale']).get('buyer') ?? undefined,
      },
      {
        name: 'email',
        label: message('buyers.email'),
        hint: message('buyers.emailHint'),
        type: 'email',
        required: false,
      },
    ],
    message('buyers.create'),
    { sale: shown.query['sale'] },
  )

/**
 * Shows the form that withdraws a trace. A link may name the trace, which the form then describes, and the sale to which
 * the operator returns.
 */
async function withdrawPage(shown: SectionListParams, deps: BuyersSectionDeps): Promise<ItemPage> {
  const { prefix, query, problem } = shown
  const entered = problem?.form.fields ?? query
  const [id, sale] = [Uuid.safeParse(entered['id']).data, Uuid.safeParse(entered['sale']).data]
  const found = id === undefined ? null : await deps.findWithdrawal(id)
  const rows = id === undefined || !found || found.isWithdrawn ? null : await traceRows({ id, sale }, found, deps)
  const idField: EntryField = {
    name: 'id',
    label: message('buyers.traceId'),
    hint: message('buyers.traceIdHint'),
    maxlength: 36,
    value: query['id'],
  }
  const reason: EntryField = {
    name: 'reason',
    label: message('buyer.reason'),
    hint: message('buyers.reasonHint'),
    maxlength: 500,
  }
  const form = entryForm(
    shown,
    'withdraw',
    rows ? [reason] : [idField, reason],
    message('buyers.withdrawReview'),
    { sale, ...(rows ? { id } : {}) },
    sale === undefined ? undefined : sectionPath('sales', sale),
  )
  return {
    title: message('buyers.withdrawTitle'),
    ...(sale === undefined ? {} : { back: saleLink(prefix, sale) }),
    body: html`${rows && detailList(rows)}
      <p>${message('buyers.withdrawText')}</p>
      ${form}`,
  }
}
