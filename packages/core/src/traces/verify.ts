import { within } from '../deadline.ts'
import type { Verifier } from '../ports.ts'
import { detailTexts, readDetails, type KeptDetails } from './stored-json.ts'
import type { NewTrace } from './store.ts'

/** The maximum time for verifying one trace, in ms. It is less than a lease, because no lease is renewed meanwhile. */
const verifyLimitMs = 20_000

/** Thrown when the verifier threw or did not answer in time, so that it is unknown whether the trace may be stored. */
export class VerifierError extends Error {
  override readonly name = 'VerifierError'
}

type VerifiedTrace = Pick<NewTrace, 'sourceId' | 'model' | 'parentTraceId' | 'messages' | keyof KeptDetails>

/** Returns the ids of the rules that still find something in a scrubbed trace. Returns no ids without a verifier. */
export async function verifyTrace(verifier: Verifier | null, trace: VerifiedTrace): Promise<readonly string[]> {
  if (!verifier) return []
  const { sourceId, model, parentTraceId, messages, ...details } = trace
  const contents = (JSON.parse(messages) as readonly { readonly content: string }[]).map(({ content }) => content)
  const texts = [sourceId, model ?? '', parentTraceId ?? '', ...contents, ...detailTexts(readDetails(details))]
  try {
    return await within(verifyLimitMs, (signal) => verifier.verify(texts, signal))
  } catch (error) {
    throw new VerifierError('the verifier failed', { cause: error })
  }
}
