import { readFileSync } from 'node:fs'
import { startDev, type Dev } from '../../src/cli/cli.fixture.ts'

/** Several server processes on one database file. Any of them may be killed at any moment. */
export interface Hosts {
  /** Returns the address of a process that should be running. */
  url(): string
  /** Ends one process with the signal, and starts a new process in its place. */
  replace(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Kills each process once, one after another, and starts a new process in its place. */
  killEach(): Promise<void>
  /** Returns the memory of each process in megabytes, the oldest process first. */
  memory(): number[]
  stop(): Promise<void>
}

/** Starts `count` processes. */
export async function startHosts(database: string, count: number, random: () => number): Promise<Hosts> {
  const up: Dev[] = []
  for (let i = 0; i < count; i++) up.push(await startDev(database, '--log-level', 'silent'))
  return {
    url: () => up[Math.floor(random() * up.length)]!.url,
    async replace(signal) {
      // The oldest process is not replaced, so that its memory is measured over the whole run. If there is only one
      // process, it is replaced.
      const at = up.length === 1 ? 0 : 1 + Math.floor(random() * (up.length - 1))
      const [old] = up.splice(at, 1)
      await old!.stop(signal)
      up.push(await startDev(database, '--log-level', 'silent'))
    },
    async killEach() {
      for (let i = 0; i < count; i++) {
        const [old] = up.splice(0, 1)
        await old!.stop('SIGKILL')
        up.push(await startDev(database, '--log-level', 'silent'))
      }
    },
    memory: () => up.map(({ child }) => resident(child.pid!)),
    async stop() {
      await Promise.all(up.map((one) => one.stop()))
    },
  }
}

/** Returns the resident memory as Linux counts it, or 0 on other systems. */
function resident(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
