import type { Failure } from './failures.ts'
import { Reply } from './route.ts'

/** What a handler answered, without the clothes of a reply. */
type Bare<Answer> = Answer extends Reply<infer Body> ? Exclude<Body, null> : Answer

/** Calls the handler of a JSON route from a page: the page does what the route does, in the same words. */
export async function callHandler<In, Deps, Answer>(
  handler: (input: In, deps: Deps) => Promise<Answer> | Answer,
  deps: Deps,
  input: Partial<In>,
): Promise<Bare<Answer> | Failure> {
  const answer: unknown = await handler({ user: null, address: null, report: () => undefined, ...input } as In, deps)
  return (answer instanceof Reply ? answer.body : answer) as Bare<Answer> | Failure
}
