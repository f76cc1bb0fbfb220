import { createRequire } from 'node:module'
import type { Verifier } from '@tributary/core'
import { MissingPackagesError } from './aws.ts'

type Core = typeof import('@secretlint/core')
type Preset = typeof import('@secretlint/secretlint-rule-preset-recommend')

const presetId = '@secretlint/secretlint-rule-preset-recommend'
/** Texts are joined up to this many characters, because a call costs half a millisecond whatever its length. */
const maxChars = 256 * 1024
/** The password of a connection string is a placeholder: nothing is left in it. */
const replacedPassword = /:\[[A-Z0-9_]+_\d+\]@/

/**
 * Creates a verifier of secretlint's recommended preset, at some 10 MB/s of the calling thread. Needs the optional packages
 * `@secretlint/core` and `@secretlint/secretlint-rule-preset-recommend`; throws `MissingPackagesError` without them.
 *
 * ```ts
 * const service = createService({ baseUrl, stores, verifier: await secretlintVerifier() })
 * ```
 */
export async function secretlintVerifier(): Promise<Verifier> {
  const [{ lintSource }, { creator }, version] = await loadSecretlint()
  const config = { rules: [{ id: presetId, rule: creator }] }
  return {
    version: `secretlint-${version}`,
    async verify(texts, signal) {
      const found = new Set<string>()
      for (const content of joinTexts(texts)) {
        const { messages } = await lintSource({
          source: { content, filePath: '/trace.txt', ext: '.txt', contentType: 'text' },
          options: { config, noPhysicFilePath: true },
        })
        for (const { ruleId, messageId, range } of messages)
          if (!replacedPassword.test(content.slice(...range)))
            found.add(`${ruleId.replace(/^.*rule-/, '')}/${messageId}`)
        await new Promise((resolve) => setImmediate(resolve))
        signal.throwIfAborted()
      }
      return [...found]
    },
  }
}

function* joinTexts(texts: readonly string[]): Generator<string> {
  let joined = ''
  for (const text of texts) {
    if (joined !== '' && joined.length + text.length > maxChars) {
      yield joined
      joined = ''
    }
    joined += `${text}\n\n`
  }
  if (joined.trim() !== '') yield joined
}

async function loadSecretlint(): Promise<readonly [Core, Preset, string]> {
  try {
    const [core, preset] = await Promise.all([
      import('@secretlint/core'),
      import('@secretlint/secretlint-rule-preset-recommend'),
    ])
    const manifest = createRequire(import.meta.url)(`${presetId}/package.json`) as { readonly version: string }
    return [core, preset, manifest.version]
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
