import { balanceParts, decimalsOf, formatUsd, paginate, toDollars, toMicros, type Client } from '@tributary/core/client'
import { readValue, type Service } from './service.ts'
import { formatTable, toPlainText, formatCount, type CommandResult } from './terminal.ts'

type ValueOf<Name extends keyof Client> = Extract<Awaited<ReturnType<Client[Name]>>, { ok: true }>['value']
type Entry = ValueOf<'listEarnings'>['items'][number]

/** Shows the balance, the pending earnings, and the last entries of the ledger, newest first. */
export async function showEarnings({ client }: Service, limit: number): Promise<CommandResult> {
  const items: Entry[] = []
  let balances = { balanceUsd: 0, pendingUsd: 0, lifetimeUsd: 0 }
  for await (const page of paginate(client.listEarnings, { query: { limit: Math.min(200, limit) } })) {
    const { balanceUsd, pendingUsd, lifetimeUsd, items: more } = readValue(page)
    balances = { balanceUsd, pendingUsd, lifetimeUsd }
    items.push(...more)
    if (items.length >= limit) break
  }
  const shown = items.slice(0, limit)
  const decimals = decimalsOf(shown.map(({ usd }) => usd))
  const rows = shown.map((entry) => [
    entry.at.slice(0, 10),
    entry.kind,
    describe(entry),
    formatUsd(entry.usd, 'en-US', decimals),
  ])
  const { available, pending, paidOut, total } = balanceParts({
    balance: toMicros(balances.balanceUsd),
    pending: toMicros(balances.pendingUsd),
    lifetime: toMicros(balances.lifetimeUsd),
  })
  const formatPart = (micros: number): string => formatUsd(toDollars(micros))
  const text = [
    `Available ${formatPart(available)}, pending ${formatPart(pending)}, paid out ` +
      `${formatPart(paidOut)}, total earned ${formatPart(total)}`,
    '',
    rows.length > 0 ? formatTable(['date', 'kind', 'for', 'amount'], rows, ['amount']) : 'No earnings yet.',
  ]
  return { json: { ...balances, items: shown }, text: text.join('\n'), nextSteps: ['open earnings'] }
}

function describe({ kind, traces, day, reference, availableAt, at }: Entry): string {
  const pending = availableAt > at ? `, available ${availableAt.slice(0, 10)}` : ''
  if (kind === 'sale') return `${formatCount(traces ?? 0, 'trace')}${pending}`
  return toPlainText(day ?? reference ?? '-')
}
