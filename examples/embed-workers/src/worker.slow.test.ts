import { runEmbedContract } from '@tributary/test-kit'
import { start } from './workerd.ts'

runEmbedContract('a Worker with a remote database', (port) => start(port, new URL('worker.ts', import.meta.url)))
