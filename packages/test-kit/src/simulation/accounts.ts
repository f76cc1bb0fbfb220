import { isErased, type Person } from './model.ts'
import { checkDelivered, sellSome } from './operators.ts'
import { clientOf, operatorClient, type Action, type Client, type Simulation } from './simulation.ts'

const minute = 60_000
const listTraces = { method: 'GET', path: '/api/traces' }
const tokenClient = (person: Person, token: string): Client => ({
  name: `a machine of ${person.name}`,
  headers: { authorization: `Bearer ${token}` },
  person,
})

/** Signs a person in with a mailed code. Returns the client of the browser, or null if the sign-in failed. */
async function signIn(sim: Simulation, person: Person): Promise<Client | null> {
  const { email } = person.signed
  const visitor: Client = { name: person.name, headers: {}, person }
  const started = await sim.ask(visitor, { method: 'POST', path: '/api/auth/email', json: { email } }, [200])
  const mail = sim.world.mails.findLast(({ to }) => to === email)
  const code = /\b(?:\d{6}|[BCDFGHJKLMNPQRSTVWXZ]{10})\b/.exec(mail?.text ?? '')?.[0]
  if (!started) person.mayWaitForCode = true
  if (!started || code === undefined) return null
  const json = { email, code, challenge: started.json.challenge }
  const path = '/api/auth/email/verify'
  // The person may enter the code of an older mail, because mails can be lost.
  const verified = await sim.ask(visitor, { method: 'POST', path, json }, [200, 400])
  const cookie = verified?.cookies.find((one) => one.startsWith('tributary_session='))
  if (cookie === undefined) return null
  return { name: person.name, headers: { cookie, 'sec-fetch-site': 'same-origin' }, person }
}

/** The actions of a person on the account page. */
export const accountActions: readonly Action<Person>[] = [
  {
    name: 'export the account',
    weight: 1,
    async act(sim, person) {
      await sim.ask(clientOf(person), { method: 'GET', path: '/api/account/export' }, [200])
      await sim.ask(clientOf(person), { method: 'POST', path: '/api/account/exports' }, [200, 202])
    },
  },
  {
    name: 'look at the earnings',
    weight: 2,
    async act(sim, person) {
      const reply = await sim.ask(clientOf(person), { method: 'GET', path: '/api/account/earnings?limit=200' }, [200])
      if (!reply) return
      const { balanceUsd, pendingUsd, items } = reply.json as {
        balanceUsd: number
        pendingUsd: number
        items: { usd: number }[]
      }
      const sum = items.reduce((total, { usd }) => total + Math.round(usd * 1e6), 0)
      const balance = Math.round(balanceUsd * 1e6) + Math.round(pendingUsd * 1e6)
      sim.check(items.length >= 200 || sum === balance, () => `the balance of ${person.name} is ${balance}, not ${sum}`)
    },
  },
  {
    name: 'request a payout',
    weight: 1,
    async act(sim, person) {
      await sim.ask(clientOf(person), { method: 'POST', path: '/api/account/payout-requests', json: {} }, [200, 409])
    },
  },
  {
    name: 'let another machine in',
    weight: 1,
    async act(sim, person) {
      if (person.machine) return
      const machine = 'another machine'
      const browser: Client = { name: person.name, headers: person.signed.cookie, person }
      const visitor: Client = { name: person.name, headers: {}, person }
      const started = await sim.ask(
        visitor,
        { method: 'POST', path: '/api/cli/device/start', json: { machine } },
        [200],
      )
      if (!started) return
      const { userCode, deviceCode } = started.json as { userCode: string; deviceCode: string }
      const approval = { method: 'POST', path: '/api/cli/device/approve', json: { userCode } }
      // The code may have expired, because clocks can jump.
      await sim.insist(browser, approval, [200, 401, 409, 410])
      const poll = { method: 'GET', path: `/api/cli/device/poll?deviceCode=${deviceCode}` }
      const [one, two] = [
        await sim.ask(visitor, poll, [200, 202, 409, 410]),
        await sim.ask(visitor, poll, [200, 202, 409, 410, 429]),
      ]
      const tokens = [one, two].flatMap((reply) => (reply?.json.token ? [reply.json.token as string] : []))
      sim.check(tokens.length <= 1, () => `a device login of ${person.name} returned two tokens`)
      const list = await sim.insist(clientOf(person), { method: 'GET', path: '/api/account/machines' }, [200])
      const items = (list?.json.machines ?? []) as { id: string; label: string }[]
      const listed = items.find(({ label }) => label === machine)
      if (tokens[0] !== undefined && listed) person.machine = { id: listed.id, token: tokens[0] }
    },
  },
  {
    name: 'revoke a machine',
    weight: 3,
    async act(sim, person) {
      const { machine } = person
      if (!machine) return
      const { scheduler } = sim.world
      const use = (statuses: readonly number[]) => sim.ask(tokenClient(person, machine.token), listTraces, statuses)
      // Hosts that know the token must learn that the token was revoked.
      for (let times = sim.random.between(0, 4); times > 0; times--) await use([200])
      const path = `/api/account/machines/${machine.id}`
      const reply = await sim.insist(clientOf(person), { method: 'DELETE', path }, [200, 204, 404])
      person.machine = null
      if (!reply) return
      // Other hosts remember a token for five seconds.
      await scheduler.sleep(minute)
      for (let times = 3; times > 0; times--) await use([401])
    },
  },
  {
    name: 'join the waitlist',
    weight: 1,
    async act(sim, person) {
      const json = { email: person.signed.email, country: 'US' }
      await sim.insist(clientOf(person), { method: 'POST', path: '/api/waitlist', json }, [200])
    },
  },
]

/** The actions of a person who may leave at any time. */
export const leavingActions: readonly Action<Person>[] = [
  { name: 'stay', weight: 3, act: async () => undefined },
  {
    name: 'erase the account',
    weight: 1,
    async act(sim, person) {
      const browser = await signIn(sim, person)
      if (!browser) return
      await sim.operate(
        'erase',
        [person],
        // An earlier attempt whose reply was lost may have ended the session.
        () => sim.ask(browser, { method: 'DELETE', path: '/api/account' }, [200, 403]),
        ({ status }) => status === 200,
      )
      if (!isErased(person)) return
      // The next request is sent immediately, while the erasure is still running.
      const start = sim.time
      const path = '/api/admin/dataset?limit=200'
      const dataset = await sim.ask(operatorClient('olga'), { method: 'GET', path }, [200])
      if (dataset) checkDelivered(sim, dataset.text, start, [])
      await sellSome(sim, 'olga')
    },
  },
]
