import { route } from '../http/route.ts'

const script = {
  method: 'GET',
  auth: 'none',
  envelope: 'ok',
  reply: 'stream',
  media: 'text/javascript',
  failures: {},
} as const

/** The scripts of the pages. The pages also work without scripts. */
export const browserContract = {
  chartsScript: route({ ...script, path: '/assets/charts.js', summary: 'Get the script of the charts' }),
  campaignPreviewScript: route({
    ...script,
    path: '/assets/campaign-preview.js',
    summary: 'Get the script of the campaign preview',
  }),
  passkeysScript: route({ ...script, path: '/assets/passkeys.js', summary: 'Get the script of passkeys' }),
  pageScript: route({ ...script, path: '/assets/page.js', summary: 'Get the script of the pages' }),
}
