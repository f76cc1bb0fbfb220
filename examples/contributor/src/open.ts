import type { Service } from './service.ts'
import { CommandError, toPlainText, type CommandResult, type Terminal } from './terminal.ts'
import { resolveIds } from './traces.ts'

const pages = ['traces', 'jobs', 'earnings', 'account', 'blocked-terms', 'terms', 'apply', 'contact'] as const

/** Opens a page of the service or the page of a trace in the browser, and prints its URL. */
export async function open(service: Service, page: string, terminal: Terminal): Promise<CommandResult> {
  const isPage = pages.some((name) => name === page)
  if (!isPage && !/^[0-9a-f-]{4,36}$/i.test(page))
    throw new CommandError('usage', `\`${toPlainText(page)}\` is not a trace id or one of ${pages.join(', ')}.`, 2)
  const path = isPage ? page : `traces/${(await resolveIds(service, [page], {}, terminal))[0]!}`
  const url = `${service.base}/${path}`
  terminal.openBrowser(url)
  return { json: { url }, text: url, nextSteps: ['list'] }
}
