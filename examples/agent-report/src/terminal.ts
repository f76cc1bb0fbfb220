/** Everything outside the program that a command uses, so that tests can replace it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fetch: typeof fetch
  /** A new idempotency key. */
  key(): string
  /** Writes the result of the command to stdout. */
  out(text: string): void
  /** Prints progress and errors to stderr. */
  note(text: string): void
  wait(ms: number): Promise<void>
}

/** An error that ends the command and that the reader can do something about. */
export class Stop extends Error {
  readonly code: string
  readonly exit: number
  constructor(code: string, message: string, exit = 1) {
    super(message)
    this.code = code
    this.exit = exit
  }
}

/** Makes a service's text safe to print: removes control, hidden and bidirectional characters and escape sequences. */
export function toPlainText(text: unknown): string {
  return String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, ' ')
}
