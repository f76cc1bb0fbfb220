import { html, type Html, page } from '../http/html.ts'
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
}

/** Why an impression did not count, in words. */
const reasons: Readonly<Record<string, string>> = {
  too_soon: 'shown for less than a second',
  expired: 'reported too late',
  replayed: 'reported more than once',
  unclaimed: 'the device was not claimed',
  capped: "over the limit for one device, or the sponsor's budget was used up",
  capped_person: 'over the limit for all devices of one person',
  capped_address: 'over the limit for one network address',
}

const dayText = (day: number): string => new Date(day * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)

function row(day: number, counts: ReadonlyMap<string, number>): Html {
  const refused = Object.keys(reasons).flatMap((reason) =>
    counts.has(reason) ? [{ reason, count: counts.get(reason)! }] : [],
  )
  const sum = refused.reduce((total, { count }) => total + count, 0)
  return html`<tr>
    <th scope="row"><time datetime="${dayText(day)}">${dayText(day)}</time></th>
    <td class="number">${counts.get('counted') ?? 0}</td>
    <td class="number">${sum}</td>
    <td>
      ${
        refused.length > 0
          ? html`<ul>
              ${refused.map(({ reason, count }) => html`<li>${count} × ${reasons[reason]}</li>`)}
            </ul>`
          : html`<span aria-label="none">–</span>`
      }
    </td>
    <td class="number">${counts.get('clicked') ?? 0}</td>
  </tr> `
}

/** What a device's impressions came to, by day. */
export function earnPage({ prefix, email, device, days, shownDays }: EarnView): string {
  const byDay = new Map<number, Map<string, number>>()
  for (const { day, outcome, count } of days)
    byDay.set(day, (byDay.get(day) ?? new Map<string, number>()).set(outcome, count))
  const total = (outcome: string): number =>
    days.reduce((sum, one) => sum + (one.outcome === outcome ? one.count : 0), 0)
  const counted = total('counted')
  const main = html`<p>
      Device <code>${device}</code>. In the last ${shownDays} days
      <strong>${counted}</strong> impression${counted === 1 ? '' : 's'} counted.
    </p>
    ${
      byDay.size === 0
        ? html`<p>
            Nothing yet. An impression counts when a sponsor's line was visible on this device for a second or more,
            within the limits for a device, a person and a network address.
          </p>`
        : html`<div class="table" role="region" aria-labelledby="days-caption" tabindex="0">
            <table>
              <caption id="days-caption">
                Impressions by day, newest first. Days are UTC.
              </caption>
              <thead>
                <tr>
                  <th scope="col">Day</th>
                  <th scope="col" class="number">Counted</th>
                  <th scope="col" class="number">Not counted</th>
                  <th scope="col">Why not</th>
                  <th scope="col" class="number">Clicks</th>
                </tr>
              </thead>
              <tbody>
                ${[...byDay].map(([day, counts]) => row(day, counts))}
              </tbody>
            </table>
          </div>`
    }`
  return page({ title: 'Impressions of this device', wide: true, prefix, email, signedIn: true, main })
}

/** The page for a device that is not the person's: whether it is anybody's is not said. */
export function deviceNotFoundPage({ prefix, email, device }: Frame): string {
  return page({
    title: 'Not one of your devices',
    prefix,
    email,
    signedIn: true,
    main: html`<p>
      <code>${device}</code> is not a device that you claimed. Your command-line client claims the one it runs on.
    </p>`,
  })
}
