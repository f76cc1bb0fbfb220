import { runEmbedContract } from '@tributary/test-kit'
import { start } from './app.ts'

runEmbedContract('Nest with a global prefix', start, { basePath: '/app' })
