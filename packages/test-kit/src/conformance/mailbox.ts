import type { Target } from './target.ts'

interface Mail {
  readonly to: string
  readonly text: string
}

/** The longest time in ms until a sent mail must be in the mailbox. */
const mailMs = 30_000

/** Reads sign-in codes from an address that answers as `/dev/mail.json` does: `[{to, text}]`, newest first. */
export function createMailReader(url: string): NonNullable<Target['code']> {
  return async (email) => {
    for (const end = Date.now() + mailMs; ; await new Promise((resolve) => setTimeout(resolve, 250))) {
      const mails = (await (await fetch(url, { headers: { accept: 'application/json' } })).json()) as readonly Mail[]
      const code = /\b(?:\d{6}|[BCDFGHJKLMNPQRSTVWXZ]{10})\b/.exec(
        mails.find(({ to }) => to === email)?.text ?? '',
      )?.[0]
      if (code !== undefined) return code
      if (Date.now() > end) throw new Error(`no sign-in code for ${email} came to ${url} within ${mailMs / 1000} s`)
    }
  }
}

/** Returns whether the target has a development mailbox. */
export async function isMailbox(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(5_000) })
    return reply.ok && Array.isArray(await reply.json())
  } catch {
    return false
  }
}
