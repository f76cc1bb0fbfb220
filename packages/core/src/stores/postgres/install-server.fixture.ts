import { installDebianPackage } from '../../../../test-kit/src/setup/debian-package.ts'
import { isBouncerInstalled, isServerInstalled } from './server.fixture.ts'

/** Installs Debian's PostgreSQL and PgBouncer if they are missing. Vitest runs it first in `npm run test:full`. */
export function setup(): void {
  if (!isServerInstalled) installDebianPackage('postgresql')
  if (!isBouncerInstalled) installDebianPackage('pgbouncer')
}
