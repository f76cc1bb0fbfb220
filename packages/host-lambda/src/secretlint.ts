import type { Verifier } from '@tributary/core'

/**
 * Creates a verifier of secretlint's recommended preset, the same as `--verifier secretlint` of the Node host. Both
 * have the same version, so that functions and processes of one database agree. Needs the optional packages
 * `@secretlint/core` and `@secretlint/secretlint-rule-preset-recommend`, which add 450 KB to a bundle and are loaded by
 * this call.
 *
 * ```ts
 * const verifier = process.env['VERIFIER'] === 'secretlint' ? await secretlintVerifier() : undefined
 * ```
 */
export async function secretlintVerifier(): Promise<Verifier> {
  // Parts of secretlint are CommonJS and call `require` for modules of Node, but a bundle of ES modules has no
  // `require`.
  const { createRequire } = await import('node:module')
  globalThis.require ??= createRequire(import.meta.url)
  const [{ lintVerifier }, { lintSource }, { creator }, { default: manifest }] = await Promise.all([
    import('@tributary/core/host'),
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
    import('@secretlint/secretlint-rule-preset-recommend/package.json', { with: { type: 'json' } }),
  ])
  return lintVerifier({ lintSource, creator, version: manifest.version })
}

/**
 * Returns the verifier that an environment variable names. Returns no verifier for `off`, an empty value and a missing
 * variable. Throws for any other value.
 */
export async function verifierFrom(value: string | undefined): Promise<{ readonly verifier?: Verifier }> {
  if (value === undefined || value === '' || value === 'off') return {}
  if (value !== 'secretlint') throw new Error(`VERIFIER must be secretlint or off, not ${value}`)
  return { verifier: await secretlintVerifier() }
}
