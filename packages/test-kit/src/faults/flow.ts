import type { ServiceOptions } from '@tributary/core'
import type { World } from './world.ts'

/** A sequence of requests and work in which faults are injected: one entry of the table in `flows.ts`. */
export interface Flow<State = unknown> {
  /** One or two words, for `--flow`. */
  readonly name: string
  /** Options of both services beside those that every world has. */
  readonly options?: Partial<ServiceOptions>
  /** Brings the world to where the flow begins. No fault happens here, and no call counts. */
  prepare(world: World): Promise<State>
  /**
   * Does the flow as a client and a worker would, repeating what fails, and writes the replies that the client got into
   * `world.ledger`. Every port call in here is a point. Throws `Unfinished` where the client is left without an answer.
   */
  act(world: World, state: State): Promise<void>
}

/** Types a flow by what its `prepare` returns. */
export const defineFlow = <State>(made: Flow<State>): Flow => made as Flow
