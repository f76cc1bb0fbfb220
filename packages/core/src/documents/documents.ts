import type { ResolvedBrand } from '../http/brand.ts'
import { docsPage, docsStyle } from '../http/docs.ts'
import { llmsText } from '../http/listing.ts'
import { openapi } from '../http/openapi.ts'
import { reply, type NamedRoute, type Reply } from '../start.ts'
import type { Digest } from '../ports.ts'

/** The documents of a service, ready to be sent. */
export interface Documents {
  readonly openapi: string
  readonly llms: string
  readonly docs: Reply<string>
}

/** What the documents need to know of a service. */
export interface DocumentsOptions {
  /** Returns the public URL of a path of the service. */
  readonly link: (path: string) => string
  /** The path of the public address, which every link starts with. */
  readonly prefix: string
  readonly digest: Digest
  readonly brand: ResolvedBrand
}

/** Makes the documents of a service from its routes. */
export function createDocuments(
  routes: readonly NamedRoute[],
  { link, prefix, digest, brand }: DocumentsOptions,
): Documents {
  const hash = btoa(String.fromCharCode(...digest(docsStyle)))
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return {
    openapi: JSON.stringify(openapi(routes, { baseUrl: link(''), title: brand.name })),
    llms: llmsText(routes, link(''), brand.name),
    docs: reply(200, docsPage(routes, { prefix, baseUrl: link(''), name: brand.name }), [
      ['content-security-policy', policy],
    ]),
  }
}
