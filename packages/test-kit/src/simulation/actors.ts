import { accountActions, leavingActions } from './accounts.ts'
import { contributorActions } from './contributors.ts'
import { isErased, wasRequested } from './model.ts'
import { buyerNames, operatorActions, duplicateTabActions, type OperatorName } from './operators.ts'
import { agentActions, buyerActions, deviceActions } from './others.ts'
import { probeActions } from './probes.ts'
import type { SeededRandom } from './random.ts'
import type { Action, Simulation } from './simulation.ts'

/** Tells actors when to stop. `over` also ends a pause of an actor. */
interface End {
  readonly isOver: () => boolean
  readonly over: Promise<void>
}

/** Runs an actor's actions, with pauses between them, until `isOver`. */
async function live<Actor>(
  sim: Simulation,
  random: SeededRandom,
  { actor, actions, isOver, over }: End & { readonly actor: Actor; readonly actions: readonly Action<Actor>[] },
): Promise<void> {
  // Each seed has different weights, so that it prefers different actions.
  const weighted = actions.map((one) => ({ act: one.act, weight: one.weight * random.draw() }))
  while (!isOver()) {
    await random.pickWeighted(weighted).act(sim, actor)
    const pause = random.chance(0.1) ? random.between(0, 600_000) : random.between(0, 8_000)
    await Promise.race([sim.world.scheduler.sleep(pause), over])
  }
}

/** Runs all actors until the end. Resolves when each has completed its last action. */
export async function runActors(sim: Simulation, { isOver, over }: End): Promise<void> {
  const { model, random } = sim
  const start = <Actor>(name: string, actor: Actor, actions: readonly Action<Actor>[], isEnd = isOver): Promise<void> =>
    live(sim, random.fork(name), { actor, actions, isOver: isEnd, over })
  // In each seed only some actors of each kind take part, so that these actors interact more often.
  const comes = (probability: number): boolean => random.chance(probability)
  await Promise.all([
    ...model.people.flatMap((person) => {
      const isGone = (): boolean => isOver() || isErased(person)
      return [
        start(`${person.name} at a browser`, person, contributorActions, isGone),
        ...(comes(0.5) ? [start(`${person.name} at a terminal`, person, contributorActions, isGone)] : []),
        ...(comes(0.3) ? [start(`${person.name}'s devices`, person, deviceActions, isGone)] : []),
        ...(comes(0.2) ? [start(`${person.name}'s account`, person, accountActions, isGone)] : []),
        ...(comes(0.1) ? [start(`${person.name}, who may leave`, person, leavingActions, isGone)] : []),
      ]
    }),
    ...(['olga', 'oscar'] as const)
      .filter(() => comes(0.8))
      .map((name) => start<OperatorName>(name, name, operatorActions)),
    // This condition draws no random number, so the other actors get the same numbers with and without this actor.
    ...(model.people.every((person) => wasRequested(person, 'approve'))
      ? []
      : [start<OperatorName>('olga in two windows', 'olga', duplicateTabActions)]),
    ...(comes(0.3) ? [start('agent', null, agentActions)] : []),
    ...(comes(0.3) ? [start('prober', null, probeActions)] : []),
    ...buyerNames.filter(() => comes(0.4)).map((buyer) => start<string>(buyer, buyer, buyerActions)),
  ])
}
