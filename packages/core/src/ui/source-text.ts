import { sourceMessages } from '../messages/sources.ts'
import { messagesOf, type Html } from './html.ts'

const message = messagesOf(sourceMessages)

/** Returns the name of a source for a page; that of a job may be `mixed`. An unknown one is returned as it is. */
export function sourceText(source: string): Html | string {
  const key = `source.${source}`
  return Object.hasOwn(sourceMessages, key) ? message(key as keyof typeof sourceMessages) : source
}
