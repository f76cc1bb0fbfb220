import { createRequire } from 'node:module'
import type { Verifier } from '@tributary/core'
import { lintVerifier } from '@tributary/core/host'
import { MissingPackagesError } from './aws.ts'

const presetId = '@secretlint/secretlint-rule-preset-recommend'

/**
 * Creates a verifier of secretlint's recommended preset. It runs on the calling thread and checks about 10 MB/s. Needs
 * the optional packages `@secretlint/core` and `@secretlint/secretlint-rule-preset-recommend`; throws
 * `MissingPackagesError` without them.
 *
 * ```ts
 * const service = createService({ baseUrl, stores, verifier: await secretlintVerifier() })
 * ```
 */
export async function secretlintVerifier(): Promise<Verifier> {
  try {
    const [{ lintSource }, { creator }] = await Promise.all([
      import('@secretlint/core'),
      import('@secretlint/secretlint-rule-preset-recommend'),
    ])
    const { version } = createRequire(import.meta.url)(`${presetId}/package.json`) as { readonly version: string }
    return lintVerifier({ lintSource, creator, version })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new MissingPackagesError(`The verifier needs optional packages: npm install @secretlint/core ${presetId}`, {
      cause: error,
    })
  }
}

/** Returns a verifier that calls `onFound` with the ids of the rules that found something in a trace, for a metric. */
export function withFindings(verifier: Verifier, onFound: (rules: readonly string[]) => void): Verifier {
  return {
    version: verifier.version,
    async verify(texts, signal) {
      const rules = await verifier.verify(texts, signal)
      if (rules.length > 0) onFound(rules)
      return rules
    },
  }
}
