import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { bundle } from '@tributary/test-kit'
import Database from 'libsql'
import type { Ledger } from './ledger.ts'

/** The state that was acknowledged at some moment, by table. */
export interface AcknowledgedState {
  readonly jobs: readonly string[]
  readonly reports: readonly string[]
}

/** Returns the acknowledged state of all ledgers together. */
export function listAcknowledged(ledgers: readonly Ledger[]): AcknowledgedState {
  return {
    jobs: ledgers.flatMap(({ sent }) => sent.flatMap(({ jobId }) => jobId ?? [])),
    reports: ledgers.flatMap(({ reports }) => [...reports.values()]),
  }
}

/** Other programs that open and close the same file while the servers run. */
export interface Outside {
  /**
   * Copies the database, checks the copy, and returns the problems found. `before` is the data that was acknowledged
   * before the copy.
   */
  backUp(before: AcknowledgedState): Promise<string[]>
  /** Kills the program that takes the write lock at random times, and starts a new one. Needs `locks`. */
  replaceLocker(): Promise<void>
  /** Ends the programs. Returns the rows that the locker's processes acknowledged and that are missing in the file. */
  stop(): Promise<string[]>
}

interface Program {
  readonly child: ChildProcess
  readonly lines: string[]
  readonly closed: Promise<unknown>
}

/**
 * Starts a program that opens, reads and closes `database` again and again, and with `locks` also a program that takes
 * the write lock at random times.
 */
export async function startOutside(database: string, locks: boolean): Promise<Outside> {
  // The path is relative to the bundle of the bench, which is in dist/bench/soak.
  const file = (name: string): Promise<string> =>
    bundle(new URL(`../../../src/sqlite/${name}.fixture.ts`, import.meta.url))
  const files = { backup: await file('backup'), locker: await file('locker'), reader: await file('reader') }
  const start = (kind: keyof typeof files, argument = ''): Program => {
    const child = spawn(process.execPath, [files[kind], database, argument], { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: string[] = []
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    })
    return { child, lines, closed: once(child, 'close') }
  }
  const kill = (program: Program): Promise<unknown> => {
    program.child.kill('SIGKILL')
    return program.closed
  }
  const reader = start('reader')
  const lockers: Program[] = locks ? [start('locker', 'locker-0')] : []
  return {
    async backUp(before) {
      const target = `${database}.backup`
      const { closed } = start('backup', target)
      const [code] = (await closed) as [number]
      if (code !== 0) return [`a backup ended with ${code}`]
      const found = check(target, before)
      for (const end of ['', '-wal', '-shm']) rmSync(target + end, { force: true })
      return found.map((one) => `a backup: ${one}`)
    },
    async replaceLocker() {
      await kill(lockers.at(-1)!)
      lockers.push(start('locker', `locker-${lockers.length}`))
    },
    async stop() {
      await Promise.all([reader, ...lockers].map(kill))
      return [
        ...(reader.lines.length > 0 ? [] : ['the outside reader never read']),
        ...missing(
          database,
          'acks',
          lockers.flatMap(({ lines }) => lines),
        ),
      ]
    },
  }
}

function missing(file: string, table: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  const database = new Database(file)
  const there = new Set((database.prepare(`select id from ${table}`).all([]) as { id: string }[]).map(({ id }) => id))
  database.close()
  return ids.filter((id) => !there.has(id)).map((id) => `${id} of ${table} was acknowledged and is lost`)
}

/** Returns the problems of a file that should contain everything acknowledged. */
export function check(file: string, { jobs, reports }: AcknowledgedState): string[] {
  const database = new Database(file)
  const [integrity] = database.prepare('pragma integrity_check').all([]) as { integrity_check: string }[]
  database.close()
  return [
    ...(integrity?.integrity_check === 'ok' ? [] : [`the file is damaged: ${integrity?.integrity_check}`]),
    ...missing(file, 'jobs', jobs),
    ...missing(file, 'reports', reports),
  ]
}
