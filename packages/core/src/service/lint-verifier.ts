import type { Verifier } from '../ports.ts'
import { systemYield } from '../system.ts'

const presetId = '@secretlint/secretlint-rule-preset-recommend'
/** Texts are joined up to this many characters, because a call costs half a millisecond for any length. */
const maxChars = 256 * 1024
/** Matches the password in a connection string if the password was already replaced by a placeholder. */
const replacedPassword = /:\[[A-Z0-9_]+_\d+\]@/

/** The parts of `@secretlint/core` and its recommended preset that are used. A host loads these parts. */
export interface Secretlint {
  // oxlint-disable-next-line typescript/no-explicit-any -- The types are those of an optional package.
  lintSource(params: any): Promise<{
    readonly messages: readonly { ruleId: string; messageId: string; range: readonly [number, number] }[]
  }>
  readonly creator: object
  /** The version of the preset. */
  readonly version: string
}

/** Creates a verifier of secretlint's recommended preset. The verifier reads about 10 MB/s in the calling thread. */
export function lintVerifier({ lintSource, creator, version }: Secretlint): Verifier {
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
        await systemYield()
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
