import { Skip, type Target } from './target.ts'
import type { Asked } from './answer.ts'
import { contributor, mainPerson, operator, ownPerson, type Person } from './people.ts'
import type { Ask, Headers, Stage } from './stage.ts'
import { stored, type Stored } from './stock.ts'

/** What a check works with. */
export interface Context {
  readonly stage: Stage
  readonly target: Target
  ask(method: string, path: string, options?: Ask): Asked
  /** The person of the run; with a given token there is no `cookie`. */
  person(): Promise<Person>
  /** Somebody of the run's own, by name; needs `mailbox`. */
  own(name: string): Promise<Person>
  /** The person of the run, allowed to upload. */
  contributor(): Promise<Person>
  /** Headers of the operator; needs `operator`. */
  operator(): Headers
  /** Traces of the contributor's that no other check has in hand. */
  stored(count: number): Promise<Stored[]>
  skip(reason: string): never
  wait(ms: number): Promise<void>
  /** Tries again until it holds: other hosts of a service hear of some things within 5 s. */
  eventually(attempt: () => Promise<unknown>): Promise<void>
}

/** The context of one check. What it asks is told apart from what fixtures ask. */
export function contextOf(stage: Stage, check: string): Context {
  return {
    stage,
    target: stage.target,
    ask: (method, path, options) => stage.ask(method, path, options, check),
    person: () => mainPerson(stage),
    own: (name) => ownPerson(stage, name),
    contributor: () => contributor(stage),
    operator: () => operator(stage),
    stored: (count) => stored(stage, count),
    skip(reason) {
      throw new Skip(reason)
    },
    wait: async (ms) => (stage.target.wait ? stage.target.wait(ms) : new Promise((resolve) => setTimeout(resolve, ms))),
    async eventually(attempt) {
      const end = Date.now() + stage.eventuallyMs
      for (;;) {
        try {
          return void (await attempt())
        } catch (error) {
          if (Date.now() >= end || error instanceof Skip) throw error
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }
    },
  }
}
