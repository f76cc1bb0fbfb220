import { randomBytes } from 'node:crypto'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import { createS3Client, type Emulator } from './aws.fixture.ts'

/** The servers in which OpenStack Swift stores data. A fourth one, `proxy`, answers the requests of S3. */
const kinds = ['account', 'container', 'object'] as const
const programs = [...kinds.map((kind) => `swift-${kind}-server`), 'swift-proxy-server', 'swift-ring-builder']

export const isSwiftInstalled = programs.every((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0)

export const swiftCredentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }

async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) await new Promise((resolve) => server.close(resolve))
  return ports
}

const formatIni = (sections: Record<string, Record<string, string | number>>): string =>
  Object.entries(sections)
    .flatMap(([name, values]) => [
      `[${name}]`,
      ...Object.entries(values).map(([key, value]) => `${key} = ${value}`),
      '',
    ])
    .join('\n')

/** Writes the configuration and rings of a cluster with one device. Returns the path of each server's configuration. */
function configure(folder: string, ports: Readonly<Record<'proxy' | (typeof kinds)[number], number>>): string[] {
  mkdirSync(join(folder, 'devices/d1'), { recursive: true })
  const write = (name: string, sections: Parameters<typeof formatIni>[0]): string => {
    writeFileSync(join(folder, name), formatIni(sections))
    return join(folder, name)
  }
  const common = { bind_ip: '127.0.0.1', workers: 0, user: userInfo().username, swift_dir: folder }
  write('swift.conf', {
    'swift-hash': { swift_hash_path_prefix: 'a', swift_hash_path_suffix: 'b' },
    'storage-policy:0': { name: 'one', default: 'yes' },
  })
  const paths = kinds.map((kind) => {
    const ring = join(folder, `${kind}.builder`)
    for (const step of [['create', '4', '1', '1'], ['add', `r1z1-127.0.0.1:${ports[kind]}/d1`, '1'], ['rebalance']])
      spawnSync('swift-ring-builder', [ring, ...step])
    return write(`${kind}.conf`, {
      'DEFAULT': { ...common, bind_port: ports[kind], devices: join(folder, 'devices'), mount_check: 'false' },
      'pipeline:main': { pipeline: `${kind}-server` },
      [`app:${kind}-server`]: { use: `egg:swift#${kind}` },
    })
  })
  const filters = ['catch_errors', 'cache', 'bulk', 's3api', 'tempauth', 'slo', 'dlo', 'keymaster', 'encryption']
  const settings: Record<string, Record<string, string>> = {
    s3api: { location: 'us-east-1' },
    keymaster: { encryption_root_secret: randomBytes(32).toString('base64') },
    tempauth: { user_test_tester: `${swiftCredentials.secretAccessKey} .admin` },
  }
  const proxy = write('proxy.conf', {
    'DEFAULT': { ...common, bind_port: ports.proxy },
    'pipeline:main': { pipeline: `${filters.join(' ')} proxy-server` },
    'app:proxy-server': {
      use: 'egg:swift#proxy',
      account_autocreate: 'true',
      // The proxy server may start before the other servers, and would then not contact them again for a minute.
      error_suppression_interval: 0,
    },
    ...Object.fromEntries(
      filters.map((name) => [
        `filter:${name}`,
        { use: `egg:swift#${name === 'cache' ? 'memcache' : name}`, ...settings[name] },
      ]),
    ),
  })
  return [...paths, proxy]
}

/**
 * Starts OpenStack Swift with a bucket `uploads` in a temporary folder. The server implements S3's API, checks its
 * signatures, and encrypts objects at rest.
 */
export async function startSwift(): Promise<Emulator<S3Client>> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-swift-'))
  const [proxy = 0, account = 0, container = 0, object = 0] = await findFreePorts(4)
  const paths = configure(folder, { proxy, account, container, object })
  const servers: ChildProcess[] = paths.map((path) =>
    spawn(`swift-${/(\w+)\.conf$/.exec(path)![1]}-server`, [path], { stdio: 'ignore' }),
  )
  const exits = servers.map((server) => new Promise((resolve) => server.once('exit', resolve)))
  const url = `http://127.0.0.1:${proxy}`
  const client = createS3Client(url, { credentials: swiftCredentials, maxAttempts: 1 })
  const close = async (): Promise<void> => {
    client.destroy()
    for (const server of servers) server.kill('SIGKILL')
    await Promise.all(exits)
    rmSync(folder, { recursive: true, force: true })
  }
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: 'uploads' }))
      return { url, client, close }
    } catch (error) {
      if ((error as Error).name === 'BucketAlreadyOwnedByYou') return { url, client, close }
      if (servers.some(({ exitCode }) => exitCode !== null)) {
        await close()
        throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}
