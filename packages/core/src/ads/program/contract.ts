import * as z from 'zod'
import { True } from '../../http/fields.ts'
import { route } from '../../http/route.ts'

/** The id of a device of the program. */
const DeviceId = z.string().regex(/^[A-Za-z0-9-]{8,64}$/, '8 to 64 letters, digits and hyphens')

export const programContract = {
  claimDevice: route({
    id: 'E19',
    method: 'POST',
    path: '/api/program/claim',
    auth: 'bearer',
    envelope: 'ok',
    requiresClientVersion: true,
    summary: 'Claim a device',
    description: 'At most 10 devices by default. Only impressions on claimed devices are counted.',
    body: z.object({ deviceId: DeviceId }),
    reply: z.object({ ok: True, result: z.literal('claimed') }),
    failures: { already_claimed: 409, too_many_devices: 409 },
  }),
}
