// The documents of a service, for tools. The package's main entry does not export them, so that serverless functions do
// not load them.
export { openapi, type DocumentOptions } from '../http/openapi.ts'
export { endpointTable, llmsText } from '../http/listing.ts'
