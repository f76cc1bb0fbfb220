import { asc, eq, sql } from 'drizzle-orm'
import type { ClaimDeviceParams, FindOwnershipParams, ProgramStore } from '../../ads/program/store.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import type { Database } from './database.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { devices } from './tables/program.ts'
import { users } from './tables/sessions.ts'

const insertDevice = prepare<ClaimDeviceParams>()(({ ownerId, deviceId, now, maxDevices }) =>
  insertSelect(
    devices,
    { id: deviceId, owner: users.num, claimedAt: now },
    sql`from ${users} where ${users.id} = ${ownerId}
      and (${maxDevices} is null or (select count(*) from ${devices} where ${devices.owner} = ${users.num}) < ${maxDevices})
      on conflict (id) do nothing`,
  ),
)

const selectIsMine = prepare<FindOwnershipParams>()(({ ownerId, deviceId }) =>
  build
    .select({ isMine: sql<number | null>`${devices.owner} = ${ownerNum(ownerId)}` })
    .from(devices)
    .where(eq(devices.id, deviceId)),
)

const selectDevicesOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({ id: devices.id, claimedAt: devices.claimedAt })
    .from(devices)
    .where(eq(devices.owner, ownerNum(ownerId)))
    .orderBy(asc(devices.claimedAt), asc(devices.id)),
)

const deleteDevicesOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(devices, eq(devices.owner, ownerNum(ownerId))),
)

/** Returns the store of claimed devices over libSQL. The primary key decides which claim was first. */
export function libsqlProgram(db: Database): ProgramStore {
  return {
    async claimDevice(params) {
      const [, found] = await db.write([insertDevice(params), selectIsMine(params)])
      const device = found.rows[0]
      if (!device) return 'too_many_devices'
      return device.isMine === 1 ? 'claimed' : 'already_claimed'
    },
    async findOwnership(params) {
      const [device] = await db.read(selectIsMine(params))
      if (!device) return 'nobody'
      return device.isMine === 1 ? 'mine' : 'other'
    },
    listDevices: ({ ownerId }) => db.read(selectDevicesOfOwner({ ownerId })),
    erase: ({ ownerId }) => writeOnce(db, [deleteDevicesOfOwner({ ownerId })]),
  }
}
