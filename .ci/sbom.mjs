// `npm run sbom [-- --out FILE]`: what is installed in production, as CycloneDX 1.7, from the lockfile and the store of the pinned pnpm.
import { install } from './install.mjs'
import { checkNode, giveUp, pnpm, run } from './root.mjs'

try {
  checkNode()
  await install()
  const { code } = await run([
    ...pnpm,
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--prod',
    ...process.argv.slice(2),
  ])
  process.exitCode = code
} catch (error) {
  giveUp(error)
}
