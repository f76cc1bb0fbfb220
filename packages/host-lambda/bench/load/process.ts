import { fork } from 'node:child_process'
import { startGroup, type Group, type GroupOptions, type GroupResult } from './containers.ts'

type ToChild = { readonly start: GroupOptions } | 'run' | 'end'
type FromChild = 'started' | 'acknowledged' | { readonly result: GroupResult }

/** Starts a group of containers in a separate process, which runs the program in the file `program`. */
export async function forkGroup(program: string, options: GroupOptions): Promise<Group> {
  const child = fork(program)
  const send = (message: ToChild): boolean => child.send(message)
  const exit = new Promise<never>((_, reject) =>
    child.once('exit', (code) => reject(new Error(`a process of containers ended with ${code}`))),
  )
  exit.catch(() => undefined)
  const receive = <Found extends FromChild>(isWanted: (message: FromChild) => message is Found): Promise<Found> =>
    Promise.race([
      exit,
      new Promise<Found>((resolve) => {
        const check = (message: unknown): void => {
          if (!isWanted(message as FromChild)) return
          child.off('message', check)
          resolve(message as Found)
        }
        child.on('message', check)
      }),
    ])
  const started = receive((message) => message === 'started')
  send({ start: options })
  await started
  return {
    async run() {
      const acknowledged = receive((message) => message === 'acknowledged')
      send('run')
      await acknowledged
    },
    async end() {
      const ended = receive((message): message is { result: GroupResult } => typeof message === 'object')
      send('end')
      const { result } = await ended
      child.disconnect()
      return result
    },
  }
}

/** Runs the group that the parent process asks for, until that process asks it to end. */
export function serveGroup(): void {
  const send = (message: FromChild): boolean => process.send!(message)
  let group: Group
  process.on('message', async (message: ToChild) => {
    if (typeof message === 'object') {
      group = await startGroup(message.start)
      send('started')
    } else if (message === 'run') {
      await group.run()
      send('acknowledged')
    } else send({ result: await group.end() })
  })
}
