import type { LoadedRoute } from '@tributary/core/adapter'
import { routes as declared } from '../conformance/contract.ts'
import { operatorClient, stranger, type Action, type Client, type Simulation } from './simulation.ts'

/** Bodies that most endpoints refuse. A body that an endpoint accepts is not sent to it. */
const bodies: readonly unknown[] = [
  {},
  [],
  null,
  7,
  'text',
  { unknown: [{}] },
  { traces: [{ sourceId: '', messages: [] }] },
  { ids: ['', 7], action: 'other' },
  { usd: -1, reference: 'x'.repeat(1000) },
]

// The home page belongs to the app.
const routes = declared.filter(({ path }) => path !== '/')

const isPage = ({ auth }: LoadedRoute): boolean => auth === 'admin-page' || auth === 'buyer-page'
/** Routes that only read. The route for an ad is left out, because an ad may use up a budget. */
const readers = routes.filter((route) => route.method === 'GET' && route.path !== '/api/ad' && !isPage(route))
const writers = routes.filter(({ body }) => body !== undefined)

/** Returns the id of any object, which may belong to another person, or an id that no object has. */
function drawId({ model, random }: Simulation): string {
  const ids = [
    ...model.knownTraces().map(({ id }) => id!),
    ...model.people.flatMap(({ signed, jobs }) => [signed.userId, ...jobs.map(({ id }) => id)]),
    ...[...model.sales, ...model.campaigns].map(({ id }) => id),
  ]
  return random.chance(0.1) ? random.pick(['', '%', 'x'.repeat(600)]) : random.pick(ids)
}

const fillPath = (sim: Simulation, path: string): string =>
  path.replaceAll(/:[a-zA-Z]+/g, () => encodeURIComponent(drawId(sim)) || 'none')

/** Returns any client, in most cases a client that may call the route. */
function drawClient({ model, random }: Simulation, { auth }: LoadedRoute): Client {
  if (random.chance(0.2)) return stranger
  if (auth === 'admin') return operatorClient('olga')
  const person = random.pick(model.people)
  const headers = auth === 'page' || auth === 'cookie' ? person.signed.cookie : person.signed.bearer
  return { name: person.name, headers, person }
}

/** Actions that follow only from the contracts: any client calls any endpoint with any id, or with an invalid body. */
export const probeActions: readonly Action<null>[] = [
  {
    name: 'read anything',
    weight: 2,
    async act(sim) {
      const route = sim.random.pick(readers)
      await sim.ask(drawClient(sim, route), { method: 'GET', path: fillPath(sim, route.path) }, null)
    },
  },
  {
    name: 'send an invalid body',
    weight: 2,
    async act(sim) {
      const route = sim.random.pick(writers)
      const json = sim.random.pick(bodies)
      if (route.body!.safeParse(json).success) return
      const { method, path } = route
      const reply = await sim.ask(drawClient(sim, route), { method, path: fillPath(sim, path), json }, null)
      sim.check(reply === null || reply.status >= 400, () => `${method} ${path} took ${JSON.stringify(json)}`)
    },
  },
  {
    name: 'change something without a credential',
    weight: 1,
    async act(sim) {
      const route = sim.random.pick(routes.filter(({ auth, method }) => auth !== 'none' && method !== 'GET'))
      const { method, path, form } = route
      if (route.auth === 'any' || route.auth === 'optional' || form) return
      const request = { method, path: fillPath(sim, path), ...(route.body ? { json: sim.random.pick(bodies) } : {}) }
      await sim.ask(stranger, request, [401, 404])
    },
  },
]
