import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runBlobsContract } from '@tributary/test-kit'
import { fileBlobs } from './blobs.ts'

runBlobsContract('files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-blobs-'))
  return {
    blobs: [fileBlobs(folder), fileBlobs(folder)],
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
})
