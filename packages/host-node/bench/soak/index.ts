// `npm run soak` (see `usage`): simulated people use real processes that are killed. At the end, the acknowledged data
// is compared with the answers of the service.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from '../../../core/src/stores/postgres/server.fixture.ts'
import { signInContributor } from '../../src/cli/cli.fixture.ts'
import { startHosts } from './hosts.ts'
import { listAcknowledged, check, startOutside } from './outside.ts'
import { findMissing, watchServer } from './outside-postgres.ts'
import { simulatePerson, type Person } from './person.ts'

const usage = `npm run soak [-- FLAGS]

Starts real processes on one database, with people who upload, exclude, delete and report without a pause, and kills
them. At the end everything acknowledged is compared with the answers of the service. On a file, one program makes
backups and checks that they contain everything acknowledged before, and another opens, reads and closes the file.

  --minutes N       default: 5
  --people N        default: 8
  --hosts N         processes on the database; default: 2
  --kill-every N    seconds between two kills, 0: no kills, the memory is measured; default: 15
  --kills N         kills each host N times and then ends; another program takes the write lock and is killed as often
  --backup-every N  seconds between two backups; default: 10
  --database KIND   file or postgres (Debian's, which is killed too); default: file
  --seed N          the same seed gives the same actions; default: 1
  --json            print one JSON document instead of text`
const { values } = parseArgs({
  options: {
    'help': { type: 'boolean', short: 'h', default: false },
    'minutes': { type: 'string', default: '5' },
    'people': { type: 'string', default: '8' },
    'hosts': { type: 'string', default: '2' },
    'kill-every': { type: 'string', default: '15' },
    'backup-every': { type: 'string', default: '10' },
    'kills': { type: 'string', default: '0' },
    'seed': { type: 'string', default: '1' },
    'database': { type: 'string', default: 'file' },
    'json': { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit()
}
const number = (name: Exclude<keyof typeof values, 'help' | 'json' | 'database'>): number => {
  const value = Number(values[name])
  if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} is a number, not "${values[name]}"`)
  return value
}

/**
 * Returns random numbers from a seed. The same seed gives the same actions, but which of them succeed depends on the
 * kills.
 */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const folder = mkdtempSync(join(tmpdir(), 'tributary-soak-'))
const file = join(folder, 'soak.db')
const server = values.database === 'postgres' ? await startServer() : null
const random = seeded(number('seed'))
const hosts = await startHosts(server?.url ?? file, number('hosts'), random)
const outside = server ? watchServer(server) : await startOutside(file, number('kills') > 0)
try {
  const people: Person[] = []
  for (let i = 0; i < number('people'); i++) {
    people.push(
      simulatePerson(
        `soak-${i}`,
        // The names of traces must not contain the address of the person, because the scrubber would replace the
        // address.
        await signInContributor(hosts.url(), `person-${i}@x.example`),
        seeded(number('seed') * 1000 + i),
        hosts.url,
      ),
    )
  }
  const over = new AbortController()
  const until = number('kills') > 0 ? over.signal : AbortSignal.timeout(number('minutes') * 60_000)
  const lives = people.map((one) => one.live(until))
  const killed = { SIGKILL: 0, SIGTERM: 0 }
  const memory: number[] = []
  const sum = (what: 'acts' | 'unanswered'): number => people.reduce((total, { ledger }) => total + ledger[what], 0)
  const stored = (): number => people.reduce((total, { ledger }) => total + ledger.traces.size, 0)
  const killer = (async () => {
    for (; killed.SIGKILL < number('kills') * number('hosts'); killed.SIGKILL += number('hosts')) {
      await Promise.all([hosts.killEach(), outside.replaceLocker()])
    }
    over.abort()
    while (number('kill-every') > 0 && !until.aborted) {
      await sleep(number('kill-every') * 1000 * (0.5 + random()))
      const signal = random() < 0.8 ? 'SIGKILL' : 'SIGTERM'
      if (!until.aborted) await hosts.replace(signal).then(() => killed[signal]++)
      if (!until.aborted && server) await outside.replaceLocker()
    }
  })()
  const found: string[] = []
  let backups = 0
  const keeper = (async () => {
    while (!until.aborted) {
      await sleep(number('backup-every') * 1000)
      found.push(...(await outside.backUp(listAcknowledged(people.map(({ ledger }) => ledger)))))
      backups++
    }
  })()
  const watcher = (async () => {
    while (!until.aborted) {
      await sleep(5_000)
      memory.push(hosts.memory()[0]!)
      process.stderr.write(
        `\r${sum('acts')} calls, ${stored()} traces sent, ${killed.SIGKILL} killed, ${killed.SIGTERM} ` +
          `stopped, ${backups} backups, ${memory.at(-1)!.toFixed(0)} MB  `,
      )
    }
  })()
  await Promise.all([...lives, killer, keeper, watcher])
  process.stderr.write('\nwaiting for every job, then comparing\n')
  found.push(...(await Promise.all(people.map((one) => one.check()))).flat(), ...(await outside.stop()))
  await hosts.stop()
  const all = listAcknowledged(people.map(({ ledger }) => ledger))
  found.push(...(server ? await findMissing(server, all) : check(file, all)))
  const tenth = Math.max(1, Math.floor(memory.length / 10))
  const mean = (part: readonly number[]): number => Math.round(part.reduce((a, b) => a + b, 0) / part.length)
  const summary = {
    ok: found.length === 0,
    calls: sum('acts'),
    unanswered: sum('unanswered'),
    tracesSent: stored(),
    killed: killed.SIGKILL,
    stopped: killed.SIGTERM,
    backups,
    memoryMb: {
      second: mean(memory.slice(tenth, 2 * tenth)),
      middle: mean(memory.slice(memory.length >> 1, (memory.length >> 1) + tenth)),
      last: mean(memory.slice(-tenth)),
    },
    found,
  }
  process.stdout.write(
    values.json
      ? `${JSON.stringify(summary)}\n`
      : [
          `${summary.calls} calls, ${summary.unanswered} without an answer; ${summary.tracesSent} traces sent; ` +
            `${summary.killed} processes killed, ${summary.stopped} stopped; ${backups} outside backups.`,
          `Memory of the oldest process, means of a tenth of the time: ${summary.memoryMb.second} MB early, ` +
            `${summary.memoryMb.middle} MB in the middle, ${summary.memoryMb.last} MB at the end.`,
          ...(summary.ok
            ? ['Everything acknowledged is there, once, and as it was left.']
            : [`${found.length} differences:`, ...found.slice(0, 50)]),
          '',
        ].join('\n'),
  )
  process.exitCode = summary.ok ? 0 : 1
} finally {
  await outside.stop().catch(() => undefined)
  await hosts.stop().catch(() => undefined)
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
}
