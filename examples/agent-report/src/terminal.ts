/** Everything that a command touches of its surroundings, so that tests hand over their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fetch: typeof fetch
  /** A new idempotency key. */
  key(): string
  /** What the command answers: stdout. */
  out(text: string): void
  /** Progress and errors: stderr. */
  note(text: string): void
  wait(ms: number): Promise<void>
}

/** An end of the command that the reader can do something about. */
export class Stop extends Error {
  readonly code: string
  readonly exit: number
  constructor(code: string, message: string, exit = 1) {
    super(message)
    this.code = code
    this.exit = exit
  }
}

/** A service's words made safe to print: no control characters, no escape sequences, nothing that turns the line around. */
export function plain(text: unknown): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, ' ')
}
