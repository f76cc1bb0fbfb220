import type { accountMessages } from '../messages/account.ts'

type SentKey = Extract<keyof typeof accountMessages, `sent.${string}`>

interface Disclosed {
  /** The paths of the data in `AdQuestion`. */
  readonly fields: readonly string[]
  /** The key of the text that the pages show for the data. */
  readonly text: SentKey
}

/** The data that an ad network receives with every request for a line. */
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

/** The additional data that an ad network receives with the consent to attribution. */
export const sentWithAttribution: readonly Disclosed[] = [{ fields: ['ids.device', 'ids.user'], text: 'sent.ids' }]

/** The data that an ad network receives instead when the client asks not to be tracked. */
export const sentUntracked: readonly Disclosed[] = [
  { fields: ['topic'], text: 'sent.topic' },
  { fields: ['session'], text: 'sent.untrackedSession' },
]
