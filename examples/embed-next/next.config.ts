import { fileURLToPath } from 'node:url'
import type { NextConfig } from 'next'

export default {
  basePath: '/app',
  skipTrailingSlashRedirect: true,
  // `npm run test:full` checks the types, with the options of this repository.
  typescript: { ignoreBuildErrors: true },
  // Here packages are links to folders of this repository. Leave this option out in your own app.
  turbopack: { root: fileURLToPath(new URL('../..', import.meta.url)) },
} satisfies NextConfig
