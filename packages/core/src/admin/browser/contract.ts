import { route } from '../../http/route.ts'

/** The script of the operator pages, which work without it. */
export const browserContract = {
  chartsScript: route({
    method: 'GET',
    path: '/assets/charts.js',
    auth: 'none',
    envelope: 'ok',
    summary: 'Get the script of the charts',
    reply: 'stream',
    media: 'text/javascript',
    failures: {},
  }),
}
