import { createHash } from 'node:crypto'
import type { SeededRandom } from './random.ts'

/** A service instance, which may pause or end, together with all its work. */
export interface InstanceLife {
  isAlive: boolean
  /** The time before which the instance does not continue. */
  pausedUntil: number
}

interface Point {
  readonly label: string
  readonly life: InstanceLife | null
  readonly resume: () => void
}

interface Timer {
  readonly at: number
  readonly run: () => void
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
/** The number of passes of the event loop without an event after which all code is considered to be waiting. */
const quietTurns = 2

/**
 * Decides what runs next. All code in a simulation waits at points, such as before a port call, or for timers of the
 * simulation's clock. Only one wait ends at a time, and the next wait ends after all code waits again. Only the seed
 * decides which wait ends, so the order does not depend on durations.
 */
export class Scheduler {
  /** The time on the clock that all instances follow with their own offsets, in milliseconds since 1970. */
  now = Date.UTC(2026, 10, 20, 12)
  /** The number of points at which code continued. */
  steps = 0
  /** The lines of the trace, for a person who reads them. */
  readonly lines: string[] = []
  readonly #random: SeededRandom
  readonly #hash = createHash('sha256')
  readonly #points: Point[] = []
  readonly #timers = new Set<Timer>()
  /** The number of running calls outside this scheduler, such as to the database. */
  #running = 0
  /** A function that is called when the last running call ends. */
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

  /** Waits until the scheduler chooses this point. The promise never resolves if the life has ended. */
  waitAt(label: string, life: InstanceLife | null = null): Promise<void> {
    this.#events++
    return new Promise((resume) => void (life?.isAlive === false || this.#points.push({ label, life, resume })))
  }

  /** Waits until a time of the virtual clock. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#addTimer(resolve, ms))
  }

  /** Resolves with the result of a call, or with null if the call takes longer than `ms` on the virtual clock. */
  async within<Result>(ms: number, call: Promise<Result>): Promise<Result | null> {
    let timer: Timer
    const late = new Promise<null>((resolve) => void (timer = this.#addTimer(() => resolve(null), ms)))
    return Promise.race([call, late]).finally(() => this.#timers.delete(timer))
  }

  /** Runs a call that the event loop completes, such as a call of the database. Nothing else continues meanwhile. */
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

  /** Removes all points of a life that has ended. */
  forget(life: InstanceLife): void {
    for (let at = this.#points.length - 1; at >= 0; at--)
      if (this.#points[at]!.life === life) this.#points.splice(at, 1)
  }

  /**
   * Lets code continue at one point after another until `isEnd` returns true. When all code waits for a timer, the clock
   * moves to the time of the next timer, or the run ends if `mayWait` is false.
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
   * Replaces the platform's timers with timers of the virtual clock, and counts the calls of the platform's
   * cryptography, which run outside the event loop. `release` reverses this.
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

  /** Restores the platform's timers. All code that still waits never continues. */
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

  /** Runs the timers that are due. Returns whether a timer was due. */
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

  /** Waits until all code waits at a point, for a timer, or for a running call. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns;) {
      const before = this.#events
      await (this.#running === 0 ? turn() : new Promise<void>((resolve) => void (this.#onIdle = resolve)))
      quiet = this.#running === 0 && this.#events === before ? quiet + 1 : 0
    }
  }
}
