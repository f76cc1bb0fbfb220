interface Disclosed {
  /** Paths of `AdQuestion`. */
  readonly fields: readonly string[]
  /** What a page calls them. */
  readonly text: string
}

/** What an ad network is sent with every question for a line. */
export const sentAlways: readonly Disclosed[] = [
  { fields: ['topic'], text: 'the topic that your client asks for' },
  {
    fields: ['session'],
    text: 'a session ID, the same for each line of the activity session that your client reports, or else of your device and the UTC day',
  },
  { fields: ['sessionEvents'], text: 'how many events your client counted in that session' },
  {
    fields: ['device.os', 'device.osVersion', 'device.arch'],
    text: 'operating system, its version and the processor architecture',
  },
  {
    fields: ['device.shell', 'device.terminal', 'device.editor'],
    text: 'the names of your shell, terminal and editor',
  },
  { fields: ['device.locale', 'device.timezone'], text: 'locale and time zone' },
  { fields: ['device.columns', 'device.rows'], text: 'the size of your terminal' },
]

/** What it is sent besides with the consent to attribution. */
export const sentWithAttribution: readonly Disclosed[] = [
  { fields: ['ids.device', 'ids.user'], text: 'a pseudonymous ID of your device and one of your account' },
]

/** What is sent in place of all that when the client asks not to be tracked. */
export const sentUntracked: readonly Disclosed[] = [
  { fields: ['topic'], text: 'the topic that your client asks for' },
  { fields: ['session'], text: 'a session ID of that one request' },
]
