import type { Device, ProgramStore } from '../../ads/program/store.ts'
import { raw, type Database } from './database.ts'
import { deleteSomeText, writeOnce } from './bounded-writes.ts'

const owner = '(select num from users where id = ?)'

/** The program's devices in SQLite; the primary key decides who was first. */
export function libsqlProgram(db: Database): ProgramStore {
  const seen = (ownerId: string, deviceId: string) =>
    raw(`select owner = ${owner} as mine from devices where id = ?`, [ownerId, deviceId])
  return {
    async claimDevice({ ownerId, deviceId, now, maxDevices: max }) {
      const [, found] = await db.write<{ mine: number }>([
        raw(
          `insert into devices (id, owner, claimed_at) select ?1, num, ?2 from users
            where id = ?3 and (?4 is null or (select count(*) from devices where owner = users.num) < ?4)
            on conflict (id) do nothing`,
          [deviceId, now, ownerId, max],
        ),
        seen(ownerId, deviceId),
      ])
      const held = found!.rows[0]
      if (!held) return 'too_many_devices'
      return held.mine === 1 ? 'claimed' : 'already_claimed'
    },
    async findOwnership(ownerId, deviceId) {
      const [held] = await db.read<{ mine: number | null }>(seen(ownerId, deviceId))
      return held ? (held.mine === 1 ? 'mine' : 'other') : 'nobody'
    },
    async export(ownerId) {
      const rows = await db.read<Device>(
        raw(`select id, claimed_at as claimedAt from devices where owner = ${owner} order by claimed_at, id`, [
          ownerId,
        ]),
      )
      return rows.map(({ id, claimedAt }) => ({ id, claimedAt }))
    },
    async erase(ownerId) {
      return writeOnce(db, [raw(deleteSomeText('devices', 'id', `owner = ${owner}`), [ownerId])])
    },
  }
}
