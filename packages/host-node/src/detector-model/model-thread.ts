/**
 * The entry point of the thread that runs a model. The model has a separate thread because its library blocks the
 * calling thread for seconds. The thread loads the model once and answers the batches one after another.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { TokenClassifier } from '@tributary/core/scrub-model'
import { loadPipeline } from './pipeline.ts'
import type { ModelReply, ModelRequest, ModelThreadData } from './thread-messages.ts'

const port = parentPort
if (!port) throw new Error('model-thread.js must be started as a worker thread by the host')
const send = (message: ModelReply): void => port.postMessage(message)
const classifier = loadPipeline(workerData as ModelThreadData)
classifier.then(
  () => send({ kind: 'loaded' }),
  (error: unknown) => send({ kind: 'load-failed', message: readMessage(error) }),
)

let last: Promise<void> = Promise.resolve()
port.on('message', ({ id, texts }: ModelRequest) => {
  last = last.then(() => answer(id, texts))
})

async function answer(id: number, texts: string[]): Promise<void> {
  try {
    const classify: TokenClassifier = await classifier
    send({ kind: 'classified', id, tokens: await classify(texts, { ignore_labels: [] }) })
  } catch (error) {
    send({ kind: 'failed', id, message: readMessage(error) })
  }
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
