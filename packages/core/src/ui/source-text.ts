import { sourceMessages } from '../messages/sources.ts'
import { html, messagesOf, type Html } from './html.ts'

const message = messagesOf(sourceMessages)

/**
 * Returns the name of a source for a page. The source of a job may be `mixed`. An unknown source is returned unchanged.
 */
export function sourceText(source: string): Html | string {
  const key = `source.${source}`
  return Object.hasOwn(sourceMessages, key) ? message(key as keyof typeof sourceMessages) : source
}

/** Returns the name of an outcome of a session for a page. An unknown outcome is returned unchanged. */
export function outcomeText(status: string): Html | string {
  const key = `outcome.${status}`
  return Object.hasOwn(sourceMessages, key) ? message(key as keyof typeof sourceMessages) : status
}

/** Returns the field of a filter that chooses an outcome. */
export const outcomeField = (
  statuses: readonly string[],
  chosen: string | undefined,
  label = message('outcome'),
): Html =>
  html`<p class="field">
    <label for="outcome">${label}</label>
    <select id="outcome" name="outcome">
      <option value="">${message('outcome.all')}</option>
      ${statuses.map(
        (status) =>
          html`<option value="${status}" ${status === chosen ? html` selected` : null}>${outcomeText(status)}</option>`,
      )}
    </select>
  </p>`
