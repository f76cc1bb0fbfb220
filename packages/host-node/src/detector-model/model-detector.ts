import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { checkOptionNames } from '@tributary/core/adapter'
import type { AsyncDetector } from '@tributary/core/scrub'
import { defaultModel, modelDetector, type ClassifiedToken, type TokenClassifier } from '@tributary/core/scrub-model'
import { MissingPackagesError } from '../aws.ts'
import { isModelPath, transformersPackage } from './pipeline.ts'
import type { ModelReply, ModelRequest, ModelThreadData } from './thread-messages.ts'

/** A model that finds personal data in prose, as plain data. */
export interface DetectorModel {
  /**
   * A model of the Hugging Face hub, or the path of a folder that contains a model. Default: `openai/privacy-filter`.
   */
  readonly model?: string
  /** The minimum score of a span that is replaced, from 0 to 1. Default: 0.5. */
  readonly threshold?: number
}

export interface TransformersDetectorOptions extends DetectorModel {
  /** The file of the thread. Default: `model-thread.js` next to this file. */
  readonly file?: URL
}

/** A detector that runs in a separate thread. */
export interface TransformersDetector extends AsyncDetector {
  /** Ends the thread. A later call starts it again. */
  stop(): Promise<void>
}

/**
 * Creates a detector from a token-classification model, which finds values such as names of people in prose. The model
 * runs in a thread of its own, which starts with the first text and is ended when it does not answer in time. When it
 * starts, a model of the hub is downloaded, some 900 MB for the default model; a folder is read without a network.
 * Needs the optional package `@huggingface/transformers`; throws `MissingPackagesError` without it, and an error for a
 * folder without a model.
 *
 * ```ts
 * const service = createService({ baseUrl, stores, detectors: [transformersDetector({ model: './models/privacy-filter' })] })
 * ```
 */
export function transformersDetector(options: TransformersDetectorOptions = {}): TransformersDetector {
  checkOptionNames(options, { model: true, threshold: true, file: true })
  const { model = defaultModel, threshold, file = new URL('./model-thread.js', import.meta.url) } = options
  const isPath = isModelPath(model)
  if (isPath && !existsSync(join(model, 'config.json')))
    throw new Error(`No model in ${model}: its config.json is missing`)
  if (!options.file) requirePackage()
  const thread = modelThread(file, { model: isPath ? resolve(model) : model })
  const detector = modelDetector({
    classify: thread.classify,
    load: thread.load,
    // A model in a folder gets the name that it has on the hub.
    model: isPath ? `${basename(dirname(resolve(model)))}/${basename(model)}` : model,
    ...(threshold === undefined ? {} : { threshold }),
  })
  return {
    ...detector,
    async detect(texts, signal) {
      const abort = (): void => void thread.stop()
      signal.addEventListener('abort', abort)
      try {
        return await detector.detect(texts, signal)
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    stop: thread.stop,
  }
}

function requirePackage(): void {
  try {
    createRequire(import.meta.url).resolve(transformersPackage)
  } catch (error) {
    throw new MissingPackagesError(`--detector-model needs an optional package: npm install ${transformersPackage}`, {
      cause: error,
    })
  }
}

interface ModelThread {
  readonly classify: TokenClassifier
  load(): Promise<void>
  stop(): Promise<void>
}

interface PendingBatch {
  resolve(tokens: readonly (readonly ClassifiedToken[])[]): void
  reject(error: Error): void
}

/** Runs a model in a thread. The first call starts the thread. If the thread ended, the next call starts it again. */
function modelThread(file: URL, workerData: ModelThreadData): ModelThread {
  let running: {
    readonly worker: Worker
    readonly loaded: Promise<void>
    readonly pending: Map<number, PendingBatch>
  } | null
  running = null
  let lastId = 0

  function start(): NonNullable<typeof running> {
    const worker = new Worker(file, { workerData, name: 'tributary-model' })
    // The thread must not keep the process alive.
    worker.unref()
    const pending = new Map<number, PendingBatch>()
    const loaded = new Promise<void>((onLoaded, onFailed) => {
      worker.on('message', (reply: ModelReply) => {
        if (reply.kind === 'loaded') return onLoaded()
        if (reply.kind === 'load-failed') return end(new Error(`the model did not load: ${reply.message}`))
        const batch = pending.get(reply.id)
        pending.delete(reply.id)
        if (reply.kind === 'classified') batch?.resolve(reply.tokens)
        else batch?.reject(new Error(`the model failed: ${reply.message}`))
      })
      const end = (error: Error): void => {
        if (running?.worker === worker) running = null
        onFailed(error)
        for (const { reject } of pending.values()) reject(error)
        pending.clear()
        void worker.terminate()
      }
      worker.on('error', end)
      worker.on('exit', () => end(new Error("the model's thread ended")))
    })
    // A failure rejects the promises of all waiting calls.
    loaded.catch(() => undefined)
    return (running = { worker, loaded, pending })
  }

  return {
    load: () => (running ?? start()).loaded,
    async classify(texts) {
      const { worker, loaded, pending } = running ?? start()
      await loaded
      return new Promise((resolve, reject) => {
        const id = ++lastId
        pending.set(id, { resolve, reject })
        worker.postMessage({ id, texts } satisfies ModelRequest)
      })
    },
    async stop() {
      const { worker } = running ?? {}
      running = null
      await worker?.terminate()
    },
  }
}
