import type { ResolvedBrand } from '../ui/brand.ts'
import { referenceContent } from '../ui/docs.ts'
import type { Html } from '../ui/html.ts'
import { llmsText } from '../http/listing.ts'
import { openapi } from '../http/openapi.ts'
import type { NamedRoute } from '../http/route.ts'

/** The documents of a service, ready to be sent. */
export interface Documents {
  readonly openapi: string
  readonly llms: string
  /** The content of the page of the API reference. */
  readonly reference: Html
}

/** The facts about a service that the documents need. */
export interface DocumentsOptions {
  /** Returns the public URL of a path of the service. */
  readonly link: (path: string) => string
  /** The path of the public URL, with which every link starts. */
  readonly prefix: string
  readonly brand: ResolvedBrand
  /** Returns the path of an interactive API reference below the prefix. Null if the host has no such reference. */
  readonly interactiveReference: () => string | null
}

/** Creates the documents of a service from its routes. */
export function createDocuments(
  routes: readonly NamedRoute[],
  { link, prefix, brand, interactiveReference }: DocumentsOptions,
): Documents {
  return {
    openapi: JSON.stringify(openapi(routes, { baseUrl: link(''), title: brand.name })),
    llms: llmsText(routes, link(''), brand.name),
    reference: referenceContent(routes, { prefix, baseUrl: link(''), interactive: interactiveReference() }),
  }
}
