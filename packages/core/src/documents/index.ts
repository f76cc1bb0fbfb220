// The documents of a service, for tools. Serverless functions must not load them, so the main entry does not export
// them.
export { openapi, type DocumentOptions } from '../http/openapi.ts'
export { endpointTable, llmsText } from '../http/listing.ts'
