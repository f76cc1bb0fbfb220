import type { accountMessages } from '../messages/account.ts'

type SentKey = Extract<keyof typeof accountMessages, `sent.${string}`>

interface Disclosed {
  /** Paths of `AdQuestion`. */
  readonly fields: readonly string[]
  /** What a page calls them: a text of the catalogue. */
  readonly text: SentKey
}

/** What an ad network is sent with every question for a line. */
export const sentAlways: readonly Disclosed[] = [
  { fields: ['topic'], text: 'sent.topic' },
  {
    fields: ['session'],
    text: 'sent.session',
  },
  { fields: ['sessionEvents'], text: 'sent.sessionEvents' },
  {
    fields: ['device.os', 'device.osVersion', 'device.arch'],
    text: 'sent.system',
  },
  {
    fields: ['device.shell', 'device.terminal', 'device.editor'],
    text: 'sent.programs',
  },
  { fields: ['device.locale', 'device.timezone'], text: 'sent.locale' },
  { fields: ['device.columns', 'device.rows'], text: 'sent.size' },
]

/** What it is sent besides with the consent to attribution. */
export const sentWithAttribution: readonly Disclosed[] = [{ fields: ['ids.device', 'ids.user'], text: 'sent.ids' }]

/** What is sent in place of all that when the client asks not to be tracked. */
export const sentUntracked: readonly Disclosed[] = [
  { fields: ['topic'], text: 'sent.topic' },
  { fields: ['session'], text: 'sent.untrackedSession' },
]
