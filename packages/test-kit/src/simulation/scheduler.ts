import { createHash } from 'node:crypto'
import type { SeededRandom } from './random.ts'

/** What may stop for a while, or for good, with everything that it does: a service instance. */
export interface Life {
  isAlive: boolean
  /** Nothing of it goes on before this time. */
  pausedUntil: number
}

interface Point {
  readonly label: string
  readonly life: Life | null
  readonly resume: () => void
}

interface Timer {
  readonly at: number
  readonly run: () => void
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
/** Passes of the event loop without any call after which nothing goes on by itself. */
const quietTurns = 2

/**
 * Decides what happens next. Everything that runs in a simulation waits at points, such as before a port call, or for
 * timers of its own clock. One of them goes on at a time, until everything waits again; the seed alone decides which,
 * so the order does not depend on how long anything takes.
 */
export class Scheduler {
  /** Milliseconds since 1970 on the clock that all instances follow, each with its own offset. */
  now = Date.UTC(2026, 10, 20, 12)
  /** Points that went on. */
  steps = 0
  /** Whether `note` keeps the lines, for a person who reads them. */
  readonly lines: string[] = []
  readonly #random: SeededRandom
  readonly #hash = createHash('sha256')
  readonly #points: Point[] = []
  readonly #timers = new Set<Timer>()
  /** Calls under way outside this scheduler, such as to the database. */
  #running = 0
  /** Called when the last of them ends. */
  #onIdle: () => void = () => undefined
  #events = 0
  #restoreGlobals: () => void = () => undefined

  constructor(random: SeededRandom) {
    this.#random = random
  }

  /** Adds a line to the trace. */
  note(line: string): void {
    const whole = `${this.steps} ${new Date(this.now).toISOString().slice(5, 23)} ${line}`
    this.lines.push(whole)
    this.#hash.update(whole).update('\n')
  }

  /** Returns a hash of every line so far. */
  digest(): string {
    return this.#hash.copy().digest('hex')
  }

  /** Waits until the scheduler lets this go on; forever when its life ended. */
  waitAt(label: string, life: Life | null = null): Promise<void> {
    this.#events++
    return new Promise((resume) => void (life?.isAlive === false || this.#points.push({ label, life, resume })))
  }

  /** Waits for a time of the virtual clock. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#addTimer(resolve, ms))
  }

  /** Resolves with null when a call takes longer than this on the virtual clock. */
  async within<Result>(ms: number, call: Promise<Result>): Promise<Result | null> {
    let timer: Timer
    const late = new Promise<null>((resolve) => void (timer = this.#addTimer(() => resolve(null), ms)))
    return Promise.race([call, late]).finally(() => this.#timers.delete(timer))
  }

  /** Runs a call that the event loop finishes, such as one of the database: nothing else goes on meanwhile. */
  async track<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#running++
    try {
      return await call()
    } finally {
      this.#running--
      this.#events++
      if (this.#running === 0) this.#onIdle()
    }
  }

  /** Removes everything that waits for a life that ended. */
  forget(life: Life): void {
    for (let at = this.#points.length - 1; at >= 0; at--)
      if (this.#points[at]!.life === life) this.#points.splice(at, 1)
  }

  /**
   * Lets one thing after the other go on until `isEnd`. With `mayWait` the clock is set forward whenever everything
   * waits; without it, that is the end.
   */
  async run(isEnd: () => boolean, mayWait = true): Promise<void> {
    for (;;) {
      await this.#settle()
      if (isEnd()) return
      if (this.#fireTimers()) continue
      const ready = this.#points.filter(({ life }) => life === null || life.pausedUntil <= this.now)
      if (ready.length === 0) {
        const next = this.#nextTime()
        if (!mayWait || next === null) return
        this.now = next
        continue
      }
      const point = this.#random.pick(ready)
      this.#points.splice(this.#points.indexOf(point), 1)
      this.steps++
      this.now += this.#random.between(0, 20)
      this.note(point.label)
      point.resume()
    }
  }

  /**
   * Puts timers of the virtual clock in the place of those of the platform, and counts what the platform's cryptography
   * does beside the event loop, until `release`.
   */
  takeTimers(): void {
    const { setTimeout, clearTimeout, crypto } = globalThis
    const { subtle } = crypto
    const methods = ['encrypt', 'decrypt', 'importKey', 'sign', 'verify', 'digest', 'deriveBits', 'deriveKey'] as const
    const set = (run: () => void, ms = 0): Timer => this.#addTimer(run, ms)
    const clear = (timer: Timer): boolean => this.#timers.delete(timer)
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear })
    for (const method of methods) {
      const call = (subtle[method] as (...args: unknown[]) => Promise<unknown>).bind(subtle)
      Object.defineProperty(subtle, method, {
        configurable: true,
        value: (...args: unknown[]) => this.track(() => call(...args)),
      })
    }
    this.#restoreGlobals = () => {
      Object.assign(globalThis, { setTimeout, clearTimeout })
      for (const method of methods) Reflect.deleteProperty(subtle, method)
    }
  }

  /** Gives the platform's timers back. What still waits never goes on. */
  release(): void {
    this.#restoreGlobals()
    this.#points.length = 0
    this.#timers.clear()
  }

  #addTimer(run: () => void, ms: number): Timer {
    this.#events++
    const timer = { at: this.now + Math.max(ms, 0), run }
    this.#timers.add(timer)
    return timer
  }

  /** Runs what is due. Returns whether anything was. */
  #fireTimers(): boolean {
    const due = [...this.#timers].filter(({ at }) => at <= this.now)
    for (const timer of due) {
      this.#timers.delete(timer)
      timer.run()
    }
    return due.length > 0
  }

  #nextTime(): number | null {
    const times = [
      ...[...this.#timers].map(({ at }) => at),
      ...this.#points.flatMap(({ life }) => (life ? [life.pausedUntil] : [])),
    ]
    return times.length === 0 ? null : Math.max(this.now, Math.min(...times))
  }

  /** Waits until nothing goes on by itself. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns;) {
      const before = this.#events
      await (this.#running === 0 ? turn() : new Promise<void>((resolve) => void (this.#onIdle = resolve)))
      quiet = this.#running === 0 && this.#events === before ? quiet + 1 : 0
    }
  }
}
