import { accountActions } from './accounts.ts'
import { contributorActions } from './contributors.ts'
import { isErased } from './model.ts'
import { buyerNames, operatorActions, type OperatorName } from './operators.ts'
import { agentActions, buyerActions, deviceActions } from './others.ts'
import { probeActions } from './probes.ts'
import type { SeededRandom } from './random.ts'
import type { Action, Simulation } from './simulation.ts'

/** Lets an actor act again and again until `isOver`, with pauses of its own. */
async function live<Actor>(
  sim: Simulation,
  random: SeededRandom,
  { actor, actions, isOver }: { actor: Actor; actions: readonly Action<Actor>[]; isOver: () => boolean },
): Promise<void> {
  // Each seed prefers other actions.
  const weighted = actions.map((one) => ({ act: one.act, weight: one.weight * random.draw() }))
  while (!isOver()) {
    await random.pickWeighted(weighted).act(sim, actor)
    await sim.world.scheduler.sleep(random.chance(0.1) ? random.between(0, 600_000) : random.between(0, 8_000))
  }
}

/** Lets everybody act until `isOver`; resolves when all of them ended what they were doing. */
export async function runActors(sim: Simulation, isOver: () => boolean): Promise<void> {
  const { model, random } = sim
  const start = <Actor>(name: string, actor: Actor, actions: readonly Action<Actor>[], isEnd = isOver): Promise<void> =>
    live(sim, random.fork(name), { actor, actions, isOver: isEnd })
  // In each seed only some of all kinds are there, so that they meet more often.
  const comes = (probability: number): boolean => random.chance(probability)
  await Promise.all([
    ...model.people.flatMap((person) => {
      const isGone = (): boolean => isOver() || isErased(person)
      return [
        start(`${person.name} at a browser`, person, contributorActions, isGone),
        ...(comes(0.5) ? [start(`${person.name} at a terminal`, person, contributorActions, isGone)] : []),
        ...(comes(0.3) ? [start(`${person.name}'s devices`, person, deviceActions, isGone)] : []),
        ...(comes(0.2) ? [start(`${person.name}'s account`, person, accountActions, isGone)] : []),
      ]
    }),
    ...(['olga', 'oscar'] as const)
      .filter(() => comes(0.8))
      .map((name) => start<OperatorName>(name, name, operatorActions)),
    ...(comes(0.3) ? [start('agent', null, agentActions)] : []),
    ...(comes(0.3) ? [start('prober', null, probeActions)] : []),
    ...buyerNames.filter(() => comes(0.4)).map((buyer) => start<string>(buyer, buyer, buyerActions)),
  ])
}
