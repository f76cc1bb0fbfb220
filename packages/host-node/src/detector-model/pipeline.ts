import { basename, dirname } from 'node:path'
import type { TokenClassifier } from '@tributary/core/scrub-model'
import type { ModelThreadData } from './thread-messages.ts'

/** The used parts of `@huggingface/transformers`, an optional package. */
interface Transformers {
  readonly env: { localModelPath: string; allowRemoteModels: boolean }
  pipeline(task: 'token-classification', model: string, options: object): Promise<TokenClassifier>
}

/** The name of the optional package. Because of the type `string`, the compiler does not look for the package. */
export const transformersPackage: string = '@huggingface/transformers'

/** Returns whether a model is named by the path of its folder. Such a model is never downloaded. */
export const isModelPath = (model: string): boolean => /^(?:\.{0,2}\/|[A-Za-z]:[\\/])/.test(model)

/**
 * Loads a model with transformers.js, with 4-bit weights if the model has them. A model of the hub is downloaded once
 * and kept in the package's cache.
 */
export async function loadPipeline({ model }: ModelThreadData): Promise<TokenClassifier> {
  const { env, pipeline } = (await import(transformersPackage)) as Transformers
  const isLocal = isModelPath(model)
  if (isLocal) {
    env.localModelPath = dirname(model)
    env.allowRemoteModels = false
  }
  const load = (dtype: string): Promise<TokenClassifier> =>
    pipeline('token-classification', isLocal ? basename(model) : model, {
      dtype,
      device: 'cpu',
      local_files_only: isLocal,
    })
  return load('q4')
    .catch(() => load('q8'))
    .catch(() => load('fp32'))
}
