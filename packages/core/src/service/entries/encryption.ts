export { start } from '../start.ts'
export { encryptedBlobs } from '../../ingest/encryption.ts'
