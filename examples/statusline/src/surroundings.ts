/** Everything that a command touches of the machine, so that tests hand over their own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Whether stdout is a terminal that somebody looks at. */
  readonly tty: boolean
  /** Its width; 80 where nobody says. */
  readonly columns: number
  readonly rows: number
  readonly platform: string
  readonly arch: string
  readonly fetch: typeof fetch
  now(): number
  wait(ms: number): Promise<void>
  out(text: string): void
  note(text: string): void
  /** Starts this program again in the background, on its own, with nothing of the terminal. Never throws. */
  background(args: readonly string[], env: Readonly<Record<string, string>>): void
  /** Opens an address as the desktop does; resolves with whether something took it. */
  browse(url: string): Promise<boolean>
}

/** What a command works with: the machine, and which service it talks to as whom. */
export interface Session extends Surroundings {
  readonly base: string
  readonly token: string | null
}

/** This client's version: what the service's version gate looks at. */
export const version = '0.1.0'

/** An end of a command that the reader can do something about. */
export class Stop extends Error {
  readonly code: string
  readonly exit: number
  constructor(code: string, message: string, exit = 1) {
    super(message)
    this.code = code
    this.exit = exit
  }
}
