// `npm run test:lambda`: the Lambda host against emulators of SQS and S3 and under the real runtime interface client.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, closure } from './build.mjs'
import { install } from './install.mjs'
import { checkNode, giveUp, root, run } from './root.mjs'

const ric = 'aws-lambda-ric@4.0.2'

/** The runtime client that Lambda's own images run; npm builds it of C++ sources, a minute, once. Null where that cannot be done. */
async function runtimeClient() {
  const folder = join(root, 'node_modules', '.cache', 'tributary', ric)
  const found = join(folder, 'node_modules', 'aws-lambda-ric')
  if (existsSync(join(found, 'rapid-client.node'))) return found
  const tools = await run(['sh', '-c', 'command -v g++ && command -v cmake && command -v make'], { quiet: true })
  if (tools.code !== 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await run(['apt-get', 'update', '-q'], { quiet: true })
    await run(
      [
        'apt-get',
        'install',
        '-y',
        '-q',
        '--no-install-recommends',
        'g++',
        'cmake',
        'make',
        'python3',
        'autoconf',
        'automake',
        'libtool',
      ],
      { quiet: true, env: { DEBIAN_FRONTEND: 'noninteractive' } },
    )
  }
  console.log(`Building ${ric} (a minute, once)…`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const { code, output } = await run(['npm', 'install', '--no-audit', '--no-fund', ric], { cwd: folder, quiet: true })
  if (code === 0 && existsSync(join(found, 'rapid-client.node'))) return found
  console.log(
    `${output.trim().split('\n').slice(-5).join('\n')}\n${ric} could not be built: its tests are skipped. It needs g++, cmake and make.`,
  )
  return null
}

const report = mkdtempSync(join(tmpdir(), 'tributary-lambda-'))
try {
  checkNode()
  await install()
  await build({
    only: [...closure('packages/host-node'), ...closure('packages/host-lambda'), ...closure('examples/lambda-sam')],
    types: false,
  })
  const client = await runtimeClient()
  const file = join(report, 'vitest.json')
  const env = { TRIBUTARY_LAMBDA: '1', NO_COLOR: '1', NODE_NO_WARNINGS: '1', ...(client && { TRIBUTARY_RIC: client }) }
  const { code } = await run(
    [
      join(root, 'node_modules', '.bin', 'vitest'),
      'run',
      ...process.argv.slice(2),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
    ],
    { env },
  )
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
  } = JSON.parse(readFileSync(file, 'utf8'))
  process.exitCode = code
  console.log(`\n${passed} passed, ${failed === 0 && code !== 0 ? 1 : failed} failed, ${skipped} skipped`)
} catch (error) {
  giveUp(error)
} finally {
  rmSync(report, { recursive: true, force: true })
}
