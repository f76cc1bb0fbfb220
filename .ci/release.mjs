// `npm run release -- --dry-run` packs every package, checks what the registry and the users of the packages require,
// and prints what would be published. `--version` asks changesets for the next version and writes it. Without a flag
// the command does the same as a dry run and then publishes. Publishing requires provenance from the machine that
// builds the packages.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, install, root, run } from './prepare.mjs'

const usage = `npm run release -- --dry-run   checks and packs every package, and prints what would be published
npm run release -- --version   writes the next version of all packages from the files in .changeset
npm run release                checks, packs and publishes`
const pnpm = ['npx', '-y', 'pnpm@12.21.0']
// Version 3 needs Node 22.
const changesets = ['npx', '-y', '@changesets/cli@2.29.8']
/** The largest allowed size of a package: megabytes of its unpacked files. */
const maxMegabytes = 10

const flags = process.argv.slice(2)
const isDryRun = flags.includes('--dry-run')
if (flags.includes('--help') || flags.some((flag) => !['--dry-run', '--version'].includes(flag))) {
  console.log(usage)
  process.exit(flags.includes('--help') ? 0 : 2)
}

const problems = []
/** The conditions of a first release that are not met yet. A dry run lists them and continues. */
const missing = []
function report(name, failures, list = problems) {
  console.log(failures.length === 0 ? `ok    ${name}` : `${list === missing ? 'miss' : 'FAIL'}  ${name}`)
  for (const failure of failures) console.log(`        ${failure}`)
  list.push(...failures)
}
const quietly = (command, options = {}) => run(command, { ...options, quiet: true })
const textOf = async (command, options) => {
  const { code, output } = await quietly(command, options)
  return code === 0 ? output.trim() : ''
}
const failureOf = ({ code, output }) => (code === 0 ? [] : [output.trim().split('\n').slice(-15).join('\n        ')])

const packages = readdirSync(join(root, 'packages')).map((folder) => {
  const cwd = join(root, 'packages', folder)
  return { folder, cwd, manifest: JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) }
})
const versions = [...new Set(packages.map(({ manifest }) => manifest.version))]
const [version] = versions

if (flags.includes('--version')) {
  const { code } = await run([...changesets, 'version'])
  process.exit(code)
}

await install()

const status = await textOf(['git', 'status', '--porcelain'])
report('clean tree', status === '' ? [] : [`commit first: ${status.split('\n').slice(0, 5).join(', ')}`])
report('one version', versions.length === 1 ? [] : [`the packages have ${versions.join(', ')}`])

const tags = await textOf(['git', 'tag', '--list', 'v*'])
const isFirst = tags === ''
const changes = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md') && name !== 'README.md')
report(
  isFirst ? 'changesets: the first release needs none' : 'changesets',
  isFirst || !tags.split('\n').includes(`v${version}`)
    ? []
    : [
        changes.length > 0
          ? `run \`npm run release -- --version\`: ${changes.length} changes have no version yet`
          : `v${version} is released, and .changeset has no change: npx changeset`,
      ],
)

const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const section = changelog.split(/^## /m).find((part) => part.startsWith(isFirst ? 'Unreleased' : version))
report(
  'changelog',
  section && section.split('\n').some((line) => line.startsWith('- '))
    ? []
    : [`CHANGELOG.md has no entries below \`## ${isFirst ? 'Unreleased' : version}\``],
)

const unaddressed = []
for (const { folder, manifest } of packages) {
  const { publishConfig = {}, repository, license, files, types, exports } = manifest
  report(`package.json of ${folder}`, [
    ...(publishConfig.access === 'public' ? [] : ['publishConfig.access is not public']),
    ...(publishConfig.provenance === true ? [] : ['publishConfig.provenance is not true']),
    ...(license === 'MIT' ? [] : ['license is not MIT']),
    ...(files?.includes('dist') ? [] : ['files does not have dist']),
    ...(types || exports['.']?.types ? [] : ['no types of the main entry']),
    ...(existsSync(join(root, 'packages', folder, 'README.md')) ? [] : ['no README.md']),
  ])
  if (!repository?.url) unaddressed.push(`packages/${folder}/package.json`)
}
// npm refuses provenance without the address of the repository.
if (unaddressed.length > 0)
  report(
    'address of the repository',
    [`fill in \`repository\` in ${unaddressed.join(', ')}: CONTRIBUTING.md has the command`],
    missing,
  )

for (const { folder } of packages) await build(`packages/${folder}`, { types: true, dev: false })
const target = mkdtempSync(join(tmpdir(), 'tributary-release-'))
const rows = []
try {
  for (const { folder, cwd, manifest } of packages) {
    const packed = await quietly([...pnpm, 'pack', '--pack-destination', target], { cwd })
    report(`pack of ${folder}`, failureOf(packed))
    const file = readdirSync(target).find((name) => name.startsWith(`tributary-${folder}-`))
    if (file === undefined) continue
    const tarball = join(target, file)
    const names = (await textOf(['tar', '-t', '-z', '-f', tarball])).split('\n')
    const entries = Object.values(manifest.exports).filter((entry) => typeof entry === 'object')
    const missingFiles = entries
      .flatMap((entry) => [entry.types, entry.default])
      .filter((path) => path && !path.includes('*') && !names.includes(`package/${path.slice(2)}`))
    report(
      `types and entries of ${folder}`,
      missingFiles.map((path) => `${path} is not in the package`),
    )
    report(`publint of ${folder}`, failureOf(await quietly(['npx', '-y', 'publint@0.3.25', tarball, '--strict'])))
    const attw = ['npx', '-y', '@arethetypeswrong/cli@0.18.5', tarball, '--profile', 'esm-only']
    report(`attw of ${folder}`, failureOf(await quietly(attw)))
    const listed = await textOf(['tar', '-t', '-v', '-z', '-f', tarball])
    const bytes = listed.split('\n').reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[2] ?? 0), 0)
    const megabytes = bytes / 2 ** 20
    report(
      `size of ${folder}`,
      megabytes <= maxMegabytes ? [] : [`${megabytes.toFixed(1)} MB unpacked, at most ${maxMegabytes}`],
    )
    const publish = [...pnpm, 'publish', tarball, '--dry-run', '--no-git-checks', '--access', 'public']
    report(`pnpm publish --dry-run of ${folder}`, failureOf(await quietly(publish, { cwd: target })))
    const kilobytes = Math.round(statSync(tarball).size / 1024)
    rows.push([
      `${manifest.name}@${manifest.version}`,
      `${names.length} files`,
      `${kilobytes} KB`,
      megabytes.toFixed(1),
    ])
  }

  console.log(`\n${isDryRun ? 'Would publish' : 'Publishes'}, with the tag \`latest\` and provenance:`)
  for (const [name, files, size, unpacked] of rows)
    console.log(`  ${name}  ${files}, ${size} packed, ${unpacked} MB unpacked`)
  const blockers = isDryRun ? problems : [...problems, ...missing]
  for (const one of missing) console.log(`\nTo do before it can be published: ${one}`)
  if (blockers.length > 0) {
    console.error(`\n${blockers.length} problems`)
    process.exitCode = 1
  } else if (!isDryRun) {
    for (const { cwd } of packages)
      if ((await run([...pnpm, 'publish', '--provenance', '--access', 'public'], { cwd })).code !== 0) process.exit(1)
    await run(['git', 'tag', `v${version}`])
  }
} finally {
  rmSync(target, { recursive: true, force: true })
}
