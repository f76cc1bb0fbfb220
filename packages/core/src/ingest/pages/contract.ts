import * as z from 'zod'
import { Uuid } from '../../http/fields.ts'
import { route } from '../../http/route.ts'

const page = { method: 'GET', auth: 'page', envelope: 'ok', reply: 'page' } as const

export const jobPagesContract = {
  jobsPage: route({
    ...page,
    path: '/jobs',
    summary: 'Show the uploads page',
    description: 'Shows your uploads, newest first, with their progress.',
    query: z.object({ cursor: Uuid.optional() }),
    failures: {},
  }),
  jobPage: route({
    ...page,
    path: '/jobs/:jobId',
    summary: 'Show an upload',
    description: 'Shows the progress of an upload and the outcome of each of its traces.',
    params: z.object({ jobId: Uuid }),
    failures: { not_found: 404 },
  }),
} as const
