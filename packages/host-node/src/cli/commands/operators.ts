import { readFileSync } from 'node:fs'
import { readAdminTokens, type OperatorToken } from '@tributary/core'
import { flags, UsageError, type Values } from '../flags.ts'

/** Who may do what operators do: of both ways of serving. */
export const operatorFlags = flags({
  'admin-token': {
    kind: 'text',
    help: 'the token of the operator named "operator"; in production 20 characters or more, random',
  },
  'admin-tokens': {
    kind: 'text',
    value: 'NAME=TOKEN,..|file:PATH',
    help: 'operators with names of their own; a file has one NAME=TOKEN a line',
  },
})

type Given = Values<typeof operatorFlags>

const leastCharacters = 20
const leastBits = 60

/** The operators' part of a service's options. Throws `UsageError`. */
export function operatorsOf(given: Given): {
  readonly adminToken?: string
  readonly adminTokens?: readonly OperatorToken[]
} {
  const [adminToken, named] = [given['admin-token'], given['admin-tokens']]
  return {
    ...(adminToken === undefined ? {} : { adminToken }),
    ...(named === undefined ? {} : { adminTokens: namedOperators(named) }),
  }
}

function namedOperators(given: string): OperatorToken[] {
  let text = given
  if (given.startsWith('file:')) {
    try {
      text = readFileSync(given.slice(5), 'utf8')
    } catch (error) {
      throw new UsageError(
        `--admin-tokens: cannot read ${given.slice(5)} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      )
    }
  }
  let read: OperatorToken[]
  try {
    read = readAdminTokens(text)
  } catch (error) {
    throw new UsageError(`--admin-tokens: ${(error as Error).message.replace('adminTokens: ', '')}`)
  }
  if (read.length === 0) throw new UsageError('--admin-tokens names nobody; leave it out, or write NAME=TOKEN')
  return read
}

/** Throws `UsageError` when a token of an operator could be guessed: it is too short, or has too little randomness. */
export function refuseWeakTokens(given: Given): void {
  const { adminToken, adminTokens = [] } = operatorsOf(given)
  const all = [
    ...(adminToken === undefined ? [] : [{ flag: '--admin-token', token: adminToken }]),
    ...adminTokens.map(({ name, token }) => ({ flag: `--admin-tokens: the token of ${name}`, token })),
  ]
  for (const { flag, token } of all) {
    const weakness =
      token.length < leastCharacters
        ? `has ${token.length} characters and needs ${leastCharacters} or more`
        : estimatedBits(token) < leastBits
          ? 'can be guessed: it repeats itself or is made of few different characters'
          : null
    if (weakness) throw new UsageError(`${flag} ${weakness}. Make one with: openssl rand -hex 24`)
  }
}

/**
 * Estimates the randomness of a token in bits: each character counts as much as the characters differ from each other, and one bit
 * where it continues a sequence of three that was there before, or counts on (`abc`, `321`, `aaa`).
 */
export function estimatedBits(token: string): number {
  const counts = new Map<string, number>()
  for (const character of token) counts.set(character, (counts.get(character) ?? 0) + 1)
  let perCharacter = 0
  for (const count of counts.values()) perCharacter -= (count / token.length) * Math.log2(count / token.length)
  let bits = 0
  for (let at = 0; at < token.length; at++) bits += continues(token, at) ? Math.min(1, perCharacter) : perCharacter
  return bits
}

function continues(token: string, at: number): boolean {
  if (at < 2) return false
  const [first, second, third] = [at - 2, at - 1, at].map((index) => token.charCodeAt(index)) as [
    number,
    number,
    number,
  ]
  const step = third - second
  return (step === second - first && Math.abs(step) <= 1) || token.lastIndexOf(token.slice(at - 2, at + 1), at - 3) >= 0
}
