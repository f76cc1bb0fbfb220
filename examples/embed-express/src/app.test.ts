import { runEmbedContract } from '@tributary/test-kit'
import { start } from './app.ts'

runEmbedContract('Express', start)
