import type { ContributorDeps } from '../admin/contributor/handlers.ts'
import { auditView } from '../audit/handlers.ts'
import { contributorView } from '../contributors/handlers.ts'
import { timestamp, timestampOrNull } from '../ids.ts'
import { jobView } from '../ingest/rules.ts'
import { balanceView } from '../ledger/handlers.ts'
import type { Stores } from '../stores.ts'

/** The maximum number of jobs and of audit entries in a summary. */
const listed = 50

/** Returns the function that collects the stored data about a person, for an operator. */
export const createSummarize =
  ({ contributors, policy, auth, traces, copies, ingest, ledger, audit }: Stores): ContributorDeps['summarize'] =>
  async (userId, now) => {
    const contributor = await contributors.findContributor({ userId })
    if (!contributor) return null
    const ownerId = userId
    const [{ applications, contact }, terms, credentials, stats, copied, jobs, earnings] = await Promise.all([
      contributors.export({ ownerId }),
      policy.listAcceptedTerms({ ownerId }),
      auth.listCredentials({ ownerId, now, currentHash: null }),
      traces.getTraceStats({ ownerId }),
      copies.getCopyStats({ ownerId }),
      ingest.listJobs({ ownerId, limit: listed }),
      ledger.listEntries({ ownerId, now, cursor: null, limit: 1 }),
    ])
    const application = applications.at(-1) ?? null
    const targets = [userId, ...applications.map(({ id }) => id), ...jobs.map(({ id }) => id)]
    const { items } = await audit.listEntries({ cursor: null, limit: listed, actor: null, action: null, targets })
    return {
      ...contributorView(contributor),
      application: application && {
        ...application,
        submittedAt: timestamp(application.submittedAt),
        reviewedAt: timestampOrNull(application.reviewedAt),
      },
      contact: contact && { name: contact.name, email: contact.email, phone: contact.phone },
      acceptedTerms: firstOfEach(terms).map(({ termsVersion, acceptedAt }) => ({
        version: termsVersion,
        acceptedAt: timestamp(acceptedAt),
      })),
      machines: credentials.map(({ id, kind, status, label, createdAt, lastUsedAt }) => ({
        id,
        kind,
        status,
        label,
        createdAt: timestamp(createdAt),
        lastUsedAt: timestampOrNull(lastUsedAt),
      })),
      traces: {
        total: stats.traces,
        forSale: stats.forSale,
        excluded: stats.excluded,
        sold: stats.sold,
        tokens: stats.tokens,
      },
      ...copied,
      jobs: jobs.map(jobView),
      earnings: balanceView(earnings.balance),
      audit: items.map(auditView),
    }
  }

/** Returns the first acceptance of each version. Confirming the residency later accepts the same version again. */
const firstOfEach = <Item extends { readonly termsVersion: string }>(terms: readonly Item[]): readonly Item[] =>
  terms.filter((one, at) => terms.findIndex(({ termsVersion }) => termsVersion === one.termsVersion) === at)
