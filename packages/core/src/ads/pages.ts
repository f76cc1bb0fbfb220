import { html, type Html, page } from '../http/html.ts'
import { dateOfDay } from '../ids.ts'
import { formatUsd, toDollars } from '../money.ts'
import type { DayCount } from './store.ts'

interface Frame {
  readonly prefix: string
  readonly email: string | null
  readonly device: string
}

export interface EarnView extends Frame {
  /** Newest day first. */
  readonly days: readonly DayCount[]
  readonly shownDays: number
  /** The contributor's share of what sponsors paid, 0 to 1. */
  readonly adShare: number
}

/** The reasons why an impression did not count. */
const reasons: Readonly<Record<string, string>> = {
  too_soon: 'visible for less than one second',
  expired: 'reported after it expired',
  replayed: 'reported more than once',
  unclaimed: 'device not claimed',
  capped: "device limit reached, or sponsor's budget spent",
  capped_person: 'account limit reached',
  capped_address: 'IP address limit reached',
}

function row(day: number, counts: ReadonlyMap<string, number>, earned: number): Html {
  const rejected = Object.keys(reasons).flatMap((reason) =>
    counts.has(reason) ? [{ reason, count: counts.get(reason)! }] : [],
  )
  const sum = rejected.reduce((total, { count }) => total + count, 0)
  return html`<tr>
    <th scope="row"><time datetime="${dateOfDay(day)}">${dateOfDay(day)}</time></th>
    <td class="number">${formatUsd(earned)}</td>
    <td class="number">${counts.get('counted') ?? 0}</td>
    <td class="number">${sum}</td>
    <td>
      ${
        rejected.length > 0
          ? html`<ul>
              ${rejected.map(({ reason, count }) => html`<li data-reason="${reason}">${count} × ${reasons[reason]}</li>`)}
            </ul>`
          : html`<span aria-label="None">–</span>`
      }
    </td>
    <td class="number">${counts.get('clicked') ?? 0}</td>
  </tr> `
}

/** Renders the impressions of a device by day. */
export function earnPage({ prefix, email, device, days, shownDays, adShare }: EarnView): string {
  const byDay = new Map<number, Map<string, number>>()
  for (const { day, outcome, count } of days)
    byDay.set(day, (byDay.get(day) ?? new Map<string, number>()).set(outcome, count))
  const total = (outcome: string): number =>
    days.reduce((sum, entry) => sum + (entry.outcome === outcome ? entry.count : 0), 0)
  const counted = total('counted')
  const earnedOn = (on: (day: number) => boolean): number =>
    toDollars(days.reduce((sum, { day, micros }) => sum + (on(day) ? Math.round(micros * adShare) : 0), 0))
  const main = html`<p>
      Device <code>${device}</code>: <strong>${counted}</strong> counted impression${counted === 1 ? '' : 's'} in the
      last ${shownDays} days, which earned <strong>${formatUsd(earnedOn(() => true))}</strong>.
    </p>
    <p>A day is added to your balance when it is over. <a href="${prefix}/earnings">View your earnings</a></p>
    ${
      byDay.size === 0
        ? html`<p data-empty>
            No impressions yet. An impression counts when a sponsor line was visible on this device for at least one
            second, within the limits for a device, an account and an IP address.
          </p>`
        : html`<div class="table" role="region" aria-labelledby="days-caption" tabindex="0">
            <table>
              <caption id="days-caption">
                Impressions per day (UTC), newest first.
              </caption>
              <thead>
                <tr>
                  <th scope="col">Day</th>
                  <th scope="col" class="number">Earned</th>
                  <th scope="col" class="number">Counted</th>
                  <th scope="col" class="number">Not counted</th>
                  <th scope="col">Reasons</th>
                  <th scope="col" class="number">Clicks</th>
                </tr>
              </thead>
              <tbody>
                ${[...byDay].map(([day, counts]) =>
                  row(
                    day,
                    counts,
                    earnedOn((on) => on === day),
                  ),
                )}
              </tbody>
            </table>
          </div>`
    }`
  return page({ title: 'Impressions', wide: true, prefix, email, signedIn: true, main })
}

/** Renders the page for a device that the user did not claim; it does not reveal whether someone else did. */
export function deviceNotFoundPage({ prefix, email, device }: Frame): string {
  return page({
    title: 'Device not found',
    prefix,
    email,
    signedIn: true,
    main: html`<p>
      <code>${device}</code> is not one of your devices. Your command-line client claims the device it runs on.
    </p>`,
  })
}
