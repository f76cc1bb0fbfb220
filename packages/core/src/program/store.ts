export interface Device {
  readonly id: string
  readonly claimedAt: number
}

/** Whose a device is, seen by the one who asks. */
export type Ownership = 'mine' | 'other' | 'nobody'

/** The program's devices. A device is its first claimer's until that person is erased. */
export interface ProgramStore {
  /** Claims a device. Claiming one's own again is fine. Of any number of people at once one gets it. */
  claim(ownerId: string, deviceId: string, now: number): Promise<'claimed' | 'already_claimed'>
  ownership(ownerId: string, deviceId: string): Promise<Ownership>
  /** The person's devices, oldest claim first. */
  export(ownerId: string): Promise<Device[]>
  /** Gives them all up. */
  erase(ownerId: string): Promise<void>
}
