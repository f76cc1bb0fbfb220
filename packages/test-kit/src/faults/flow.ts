import type { ServiceOptions } from '@tributary/core'
import type { World } from './world.ts'

/** A sequence of requests and work in which faults are injected. `flows.ts` lists all flows. */
export interface Flow<State = unknown> {
  /** The name for `--flow`, one or two words. */
  readonly name: string
  /** Options of both services, in addition to the options of every world. */
  readonly options?: Partial<ServiceOptions>
  /** Creates the state in which the flow begins. Its calls have no faults and are not counted. */
  prepare(world: World): Promise<State>
  /**
   * Runs the flow like a client and a worker: it repeats failed requests, and records the client's replies in
   * `world.ledger`. Every port call in the flow is a fault point. Throws `Unfinished` if the client gets no answer.
   */
  act(world: World, state: State): Promise<void>
}

/** Gives a flow the type of the value that its `prepare` returns. */
export const defineFlow = <State>(made: Flow<State>): Flow => made as Flow
