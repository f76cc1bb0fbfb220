import type { ProgramStore } from '../../ads/program/store.ts'

/** The program store, with what the ad store asks it: who claimed a device. */
export interface MemoryProgram extends ProgramStore {
  /** Returns the person who claimed a device, or null. */
  ownerOf(deviceId: string): string | null
}

/** Returns the store of claimed devices in memory. */
export function memoryProgram(): MemoryProgram {
  const devices = new Map<string, { readonly ownerId: string; readonly claimedAt: number }>()
  const ofOwner = (ownerId: string) => [...devices].filter(([, device]) => device.ownerId === ownerId)

  return {
    ownerOf: (deviceId) => devices.get(deviceId)?.ownerId ?? null,
    async claimDevice({ ownerId, deviceId, now, maxDevices }) {
      const device = devices.get(deviceId)
      if (device) return device.ownerId === ownerId ? 'claimed' : 'already_claimed'
      if (maxDevices !== null && ofOwner(ownerId).length >= maxDevices) return 'too_many_devices'
      devices.set(deviceId, { ownerId, claimedAt: now })
      return 'claimed'
    },
    async findOwnership({ ownerId, deviceId }) {
      const device = devices.get(deviceId)
      if (!device) return 'nobody'
      return device.ownerId === ownerId ? 'mine' : 'other'
    },
    async export({ ownerId }) {
      return ofOwner(ownerId)
        .map(([id, { claimedAt }]) => ({ id, claimedAt }))
        .sort((a, b) => a.claimedAt - b.claimedAt || (a.id < b.id ? -1 : 1))
    },
    async erase({ ownerId }) {
      for (const [id] of ofOwner(ownerId)) devices.delete(id)
      return false
    },
  }
}
