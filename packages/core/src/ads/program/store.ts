export interface Device {
  readonly id: string
  readonly claimedAt: number
}

/** The owner of a device from the point of view of one person: that person, somebody else, or nobody. */
export type Ownership = 'mine' | 'other' | 'nobody'

export interface ClaimDeviceParams {
  readonly ownerId: string
  readonly deviceId: string
  readonly now: number
  /** The maximum number of devices that the person may have. Null means no limit. */
  readonly maxDevices: number | null
}

export type ClaimDeviceResult = 'claimed' | 'already_claimed' | 'too_many_devices'

export interface FindOwnershipParams {
  readonly ownerId: string
  readonly deviceId: string
}

/** Stores claimed devices. A device belongs to the first person who claims it until that person is erased. */
export interface ProgramStore {
  /**
   * Claims a device for a person who has fewer than `maxDevices`. If the person already owns the device, the call
   * succeeds again. If several people claim a device concurrently, the device belongs to one of them. If one person
   * sends several claims concurrently, at most `maxDevices` claims succeed.
   */
  claimDevice(params: Readonly<ClaimDeviceParams>): Promise<ClaimDeviceResult>
  findOwnership(params: Readonly<FindOwnershipParams>): Promise<Ownership>
  /** Returns the person's devices, oldest claim first. */
  listDevices(params: { readonly ownerId: string }): Promise<Device[]>
  /** Deletes the person's claims, a bounded number at a time. Returns whether there may be more. */
  erase(params: { readonly ownerId: string }): Promise<boolean>
}
