export interface Device {
  readonly id: string
  readonly claimedAt: number
}

/** Whose a device is, seen by the one who asks. */
export type Ownership = 'mine' | 'other' | 'nobody'

export interface ClaimDeviceParams {
  readonly ownerId: string
  readonly deviceId: string
  readonly now: number
  readonly maxDevices: number | null
}

export type ClaimDeviceResult = 'claimed' | 'already_claimed' | 'too_many_devices'

/** The program's devices. A device is its first claimer's until that person is erased. */
export interface ProgramStore {
  /**
   * Claims a device for a person who has fewer than `max`; null: any number. Claiming one's own again is fine. Of any number
   * of people at once one gets it, and of any number of claims by one person at once no more than `max` succeed.
   */
  claimDevice(params: Readonly<ClaimDeviceParams>): Promise<ClaimDeviceResult>
  findOwnership(ownerId: string, deviceId: string): Promise<Ownership>
  /** The person's devices, oldest claim first. */
  export(ownerId: string): Promise<Device[]>
  /** Gives them up, a bounded number at a time; true when there may be more. */
  erase(ownerId: string): Promise<boolean>
}
