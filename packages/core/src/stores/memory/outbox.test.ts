import { outboxStoreLaws } from '@tributary/test-kit'
import { memoryOutbox } from './outbox.ts'

outboxStoreLaws('memory', async () => {
  const store = memoryOutbox()
  return { stores: [store, store] }
})
