/** The replacements of global classes that the build inserts: see `rolldown.config.ts`. */
export { Headers, Request, Response } from '@tributary/host-lambda/fetch'
