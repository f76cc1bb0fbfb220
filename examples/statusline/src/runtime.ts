/** Everything outside the program that a command uses. Tests can replace it. */
export interface Runtime {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Whether stdout is a terminal that a person reads. */
  readonly tty: boolean
  /** The width of the terminal in columns, or 80 if it is unknown. */
  readonly columns: number
  readonly rows: number
  readonly platform: string
  readonly arch: string
  readonly fetch: typeof fetch
  now(): number
  wait(ms: number): Promise<void>
  out(text: string): void
  note(text: string): void
  /** Starts this program again as a background process, detached from the terminal. Never throws. */
  background(args: readonly string[], env: Readonly<Record<string, string>>): void
  /** Opens a URL in the default browser. Resolves with false if no program could be started. */
  browse(url: string): Promise<boolean>
}

/** The runtime with the service's URL and the login's token. */
export interface Session extends Runtime {
  readonly base: string
  readonly token: string | null
}

/** This client's version, which the service compares with the oldest version that it supports. */
export const version = '0.1.0'

/** A failure of a command whose message says what to do. */
export class CommandError extends Error {
  readonly code: string
  readonly exit: number
  constructor(code: string, message: string, exit = 1) {
    super(message)
    this.code = code
    this.exit = exit
  }
}
