import { Skip, type Target } from './target.ts'
import type { PendingAnswer } from './answer.ts'
import { makeContributor, getRunPerson, operatorHeaders, makePerson, type Person } from './people.ts'
import type { CheckRequest, Headers, RunState } from './run-state.ts'
import { storeTraces, type StoredTrace } from './stored-traces.ts'

/** The context of a check. */
export interface Context {
  readonly stage: RunState
  readonly target: Target
  ask(method: string, path: string, options?: CheckRequest): PendingAnswer
  /** Returns the person of the run. If a token is given, there is no `cookie`. */
  person(): Promise<Person>
  /** Returns the person with this name, whom the run creates on first use. Needs `mailbox`. */
  own(name: string): Promise<Person>
  /** Returns the person of the run, who may upload. */
  contributor(): Promise<Person>
  /** Returns the headers of the operator. Needs `operator`. */
  operator(): Headers
  /** Returns traces of the contributor that other checks do not use. */
  stored(count: number): Promise<StoredTrace[]>
  skip(reason: string): never
  wait(ms: number): Promise<void>
  /**
   * Repeats an attempt until it succeeds, for at most `ms` (default `eventuallyMs`), because other hosts may read some
   * writes up to 5 s later.
   */
  eventually(attempt: () => Promise<unknown>, ms?: number): Promise<void>
}

/** Creates the context of one check. Its requests are recorded separately from the requests of fixtures. */
export function createContext(stage: RunState, check: string): Context {
  return {
    stage,
    target: stage.target,
    ask: (method, path, options) => stage.ask(method, path, options, check),
    person: () => getRunPerson(stage),
    own: (name) => makePerson(stage, name),
    contributor: () => makeContributor(stage),
    operator: () => operatorHeaders(stage),
    stored: (count) => storeTraces(stage, count),
    skip(reason) {
      throw new Skip(reason)
    },
    wait: async (ms) => (stage.target.wait ? stage.target.wait(ms) : new Promise((resolve) => setTimeout(resolve, ms))),
    async eventually(attempt, ms = stage.eventuallyMs) {
      const end = Date.now() + ms
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
