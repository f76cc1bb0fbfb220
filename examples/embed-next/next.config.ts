import { fileURLToPath } from 'node:url'
import type { NextConfig } from 'next'

export default {
  basePath: '/app',
  skipTrailingSlashRedirect: true,
  // `npm run test:full` checks them, with the options of this repository.
  typescript: { ignoreBuildErrors: true },
  // Here packages are links to folders of this repository. An app of your own leaves this out.
  turbopack: { root: fileURLToPath(new URL('../..', import.meta.url)) },
} satisfies NextConfig
