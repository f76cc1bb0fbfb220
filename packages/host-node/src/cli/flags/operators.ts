import { readFileSync } from 'node:fs'
import { readAdminTokens, type OperatorToken } from '@tributary/core'
import { operatorTokens } from '@tributary/core/host'
import { defineFlags, UsageError, type FlagValues } from './flag.ts'

/** The flags of `dev` and `start` for the operators' tokens. */
export const operatorFlags = defineFlags({
  'admin-token': {
    kind: 'text',
    help: 'the token of the operator named "operator"; in production 20 random characters or more',
  },
  'admin-tokens': {
    kind: 'text',
    placeholder: 'NAME[:viewer]=TOKEN,..|file:PATH',
    help: 'further operators by name, in a file one per line; a viewer can only read',
  },
})

type OperatorValues = FlagValues<typeof operatorFlags>

const minTokenLength = 20
const minTokenBits = 60

/** Returns the operators' part of the service options. Throws `UsageError`. */
export function parseOperators(flags: OperatorValues): {
  readonly adminToken?: string
  readonly adminTokens?: readonly OperatorToken[]
} {
  const [adminToken, named] = [flags['admin-token'], flags['admin-tokens']]
  const text = named?.startsWith('file:') ? readOperatorFile(named.slice('file:'.length)) : named
  try {
    const operators = {
      ...(adminToken === undefined ? {} : { adminToken }),
      ...(text === undefined ? {} : { adminTokens: readAdminTokens(text) }),
    }
    if (operators.adminTokens?.length === 0) throw new Error('adminTokens: expected NAME=TOKEN, found no operator')
    operatorTokens(operators)
    return operators
  } catch (error) {
    // The messages name the options of the service, such as `adminTokens`.
    throw new UsageError((error as Error).message.replaceAll('adminToken', '--admin-token'), { cause: error })
  }
}

function readOperatorFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(
      `--admin-tokens: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    )
  }
}

/** Throws `UsageError` when an operator's token is too short or has too little randomness. */
export function requireStrongTokens(flags: OperatorValues): void {
  const { adminToken, adminTokens = [] } = parseOperators(flags)
  const tokens = [
    ...(adminToken === undefined ? [] : [{ flag: '--admin-token', token: adminToken }]),
    ...adminTokens.map(({ name, token }) => ({ flag: `--admin-tokens: the token of ${name}`, token })),
  ]
  for (const { flag, token } of tokens) requireStrong(flag, token)
}

/** Throws `UsageError` when a token or a secret is too short or has too little randomness. */
export function requireStrong(flag: string, token: string): void {
  const weakness =
    token.length < minTokenLength
      ? `has ${token.length} characters, expected ${minTokenLength} or more`
      : estimatedBits(token) < minTokenBits
        ? 'is easy to guess: it repeats itself or has few different characters'
        : null
  if (weakness) throw new UsageError(`${flag} ${weakness}. Create one with: openssl rand -hex 24`)
}

/**
 * Estimates the randomness of a token in bits. Each character counts as the entropy of the token's characters. It
 * counts as at most one bit if it repeats an earlier sequence of three or continues a series (`abc`, `321`, `aaa`).
 */
export function estimatedBits(token: string): number {
  const counts = new Map<string, number>()
  for (const character of token) counts.set(character, (counts.get(character) ?? 0) + 1)
  let perCharacter = 0
  for (const count of counts.values()) perCharacter -= (count / token.length) * Math.log2(count / token.length)
  let bits = 0
  for (let index = 0; index < token.length; index++)
    bits += isPredictable(token, index) ? Math.min(1, perCharacter) : perCharacter
  return bits
}

function isPredictable(token: string, index: number): boolean {
  if (index < 2) return false
  const [first, second, third] = [index - 2, index - 1, index].map((at) => token.charCodeAt(at)) as [
    number,
    number,
    number,
  ]
  const step = third - second
  return (
    (step === second - first && Math.abs(step) <= 1) ||
    token.lastIndexOf(token.slice(index - 2, index + 1), index - 3) >= 0
  )
}
