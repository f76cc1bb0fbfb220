/** What the build puts in place of the global classes: see `rolldown.config.ts`. */
export { Headers, Request, Response } from '@tributary/host-lambda/fetch'
