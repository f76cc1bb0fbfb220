import type { ProgramStore } from '../../ads/program/store.ts'

/** The program in a Map, with whose a device is for the ads beside it. */
export interface MemoryProgram extends ProgramStore {
  /** The person who claimed the device, or null. */
  ownerOf(deviceId: string): string | null
}

/** The program's devices in memory. */
export function memoryProgram(): MemoryProgram {
  const devices = new Map<string, { readonly owner: string; readonly claimedAt: number }>()
  return {
    ownerOf: (deviceId) => devices.get(deviceId)?.owner ?? null,
    async claimDevice({ ownerId, deviceId, now, maxDevices: max }) {
      const held = devices.get(deviceId)
      if (held) return held.owner === ownerId ? 'claimed' : 'already_claimed'
      if (max !== null && [...devices.values()].filter(({ owner }) => owner === ownerId).length >= max)
        return 'too_many_devices'
      devices.set(deviceId, { owner: ownerId, claimedAt: now })
      return 'claimed'
    },
    async findOwnership(ownerId, deviceId) {
      const held = devices.get(deviceId)
      return held ? (held.owner === ownerId ? 'mine' : 'other') : 'nobody'
    },
    async export(ownerId) {
      return [...devices]
        .filter(([, { owner }]) => owner === ownerId)
        .map(([id, { claimedAt }]) => ({ id, claimedAt }))
        .sort((a, b) => a.claimedAt - b.claimedAt || (a.id < b.id ? -1 : 1))
    },
    async erase(ownerId) {
      for (const [id, { owner }] of devices) if (owner === ownerId) devices.delete(id)
      return false
    },
  }
}
