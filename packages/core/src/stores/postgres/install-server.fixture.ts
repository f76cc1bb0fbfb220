import { installDebianPackage } from '../../../../test-kit/src/setup/debian-package.ts'
import { isServerInstalled } from './server.fixture.ts'

/** Installs Debian's PostgreSQL where there is none. Vitest runs it first in `npm run test:full`. */
export function setup(): void {
  if (!isServerInstalled) installDebianPackage('postgresql')
}
