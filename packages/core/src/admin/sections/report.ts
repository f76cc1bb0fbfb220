import { statuses } from '../../reports/rules.ts'
import { counted } from '../../http/format.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { Shown } from '../contract.ts'
import { capitalize, listTable, sectionPath, status as tag, time } from '../pages.ts'

/** A report as JSON shows it. */
export interface Report {
  readonly id: string
  readonly status: (typeof statuses)[number]
  readonly duplicateOf: string | null
  readonly observation: boolean
  readonly reporter: {
    readonly agent_vendor: string
    readonly agent_product: string
    readonly agent_version?: string | undefined
  }
  readonly subject: {
    readonly surface: string
    readonly domain?: string | undefined
    readonly kind?: string | undefined
  }
  readonly signal: Readonly<Record<string, string | number | undefined>>
  readonly content: {
    readonly title: string
    readonly summary?: string | undefined
    readonly hypothesis?: string | undefined
  }
  readonly evidence: readonly { readonly type: string; readonly content: string }[]
  readonly evidenceCount: number
  readonly duplicates: number
  readonly createdAt: string
  readonly changedAt: string
}

/** Returns a word of the protocol for people: `docs page`. */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ')

/** Returns the agent that sent a report. */
export const agentOf = ({ reporter: { agent_vendor, agent_product, agent_version } }: Report): string =>
  [agent_vendor, agent_product, agent_version].filter(Boolean).join(' ')

/** Renders the title of a report as a link to its page. */
export const reportLink = (prefix: string, { id, content }: Report): Html =>
  html`<a href="${prefix}${sectionPath('reports', id)}"><bdi>${content.title}</bdi></a>`

/**
 * Renders the page of a report: its texts, evidence and duplicates, and the forms that change its status and merge it.
 */
export function reportPage(
  shown: Shown,
  { report, duplicates, others }: { report: Report; duplicates: readonly Report[]; others: Html | null },
): { title: string; body: Html } {
  const { prefix } = shown
  const { id, content, status, duplicateOf, observation, evidence, evidenceCount, createdAt } = report
  return {
    title: content.title,
    body: html`<div class="facts">
        ${tag(status)} <span>${observation ? 'Observation' : 'Report'} by <bdi>${agentOf(report)}</bdi></span>
        <span>Received ${time(createdAt)} (UTC)</span>
        ${duplicateOf === null ? statusForm(prefix, report) : null}
      </div>
      ${duplicateOf === null ? null : mergedNotice(prefix, id, duplicateOf)} ${details(report)}
      <h2>Evidence</h2>
      ${evidence.length === 0 ? html`<p data-empty>No evidence.</p>` : null}
      ${evidence.map(
        (piece) =>
          html`<h3>${capitalize(piece.type)}</h3>
            <pre tabindex="0"><bdi>${piece.content}</bdi></pre>`,
      )}
      ${evidenceCount > evidence.length ? html`<p>${counted(evidenceCount - evidence.length, 'more piece')} of evidence.</p>` : null}
      ${
        duplicateOf === null
          ? html`<h2>Duplicates</h2>
              ${duplicateTable(prefix, id, duplicates)} ${others}`
          : null
      }`,
  }
}

function mergedNotice(prefix: string, id: string, duplicateOf: string): Html {
  return html`${notice('info', html`This report is a duplicate of <a href="${prefix}${sectionPath('reports', duplicateOf)}">another report</a>, which has its evidence.`)}
  ${separateForm(prefix, id, id)}`
}

/** Renders the form that makes a duplicate a report of its own again. `item`: the page that the browser returns to. */
const separateForm = (prefix: string, id: string, item: string): Html =>
  html`<form method="post" action="${prefix}/admin/reports/separate">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="item" value="${item}" />
    <button class="second small" aria-label="Separate report ${id}">Separate</button>
  </form>`

/** Renders the form that sets a report's status; the browser returns to the report's page. */
export function statusForm(prefix: string, { id, status }: Report): Html {
  return html`<form class="inline" method="post" action="${prefix}/admin/reports/status">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="item" value="${id}" />
    <label for="status">Status</label>
    <select id="status" name="status">
      ${statuses.map((name) => html`<option value="${name}" ${name === status ? html` selected` : null}>${capitalize(name)}</option>`)}
    </select>
    <button class="second small">Update status</button>
  </form>`
}

function details({ id, subject, signal, content }: Report): Html {
  const rows: readonly (readonly [name: string, value: string | number | Html | undefined])[] = [
    ['Summary', content.summary && html`<span class="text"><bdi>${content.summary}</bdi></span>`],
    ['Hypothesis', content.hypothesis && html`<span class="text"><bdi>${content.hypothesis}</bdi></span>`],
    ['Surface', html`<bdi>${subject.surface}</bdi>`],
    ['Domain', subject.domain && html`<bdi>${subject.domain}</bdi>`],
    ['Kind', subject.kind && wordsOf(subject.kind)],
    ...Object.entries(signal).map(
      ([name, value]) => [capitalize(name), typeof value === 'string' ? wordsOf(value) : value] as const,
    ),
    ['Report ID', html`<code>${id}</code>`],
  ]
  return html`<dl>
    ${rows
      .filter(([, value]) => value !== undefined && value !== '')
      .map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
  </dl>`
}

const duplicateTable = (prefix: string, item: string, duplicates: readonly Report[]): Html =>
  listTable({
    caption: 'Reports that mean the same, newest first. Times are UTC.',
    empty: 'No duplicates.',
    items: duplicates,
    next: null,
    columns: [
      ['Report', (duplicate) => reportLink(prefix, duplicate)],
      ['From', (duplicate) => html`<bdi>${agentOf(duplicate)}</bdi>`],
      ['Received', ({ createdAt }) => time(createdAt)],
      ['Actions', ({ id }) => separateForm(prefix, id, item)],
    ],
  })

/** Renders the search for the report to merge into, and the form that merges. */
export function mergeForms(
  { prefix, problem }: Pick<Shown, 'prefix' | 'problem'>,
  { report, words, found }: { report: Report; words: string; found: readonly Report[] },
): Html {
  const path = `${prefix}${sectionPath('reports', report.id)}`
  return html`<h2 id="merge">Merge into another report</h2>
    <p>
      This report becomes a duplicate of the one that you select, with its evidence and duplicates. You can undo it by
      separating them again.
    </p>
    <form class="search" method="get" action="${path}#merge">
      <label for="into-q">Words <input id="into-q" name="q" type="search" value="${words}" maxlength="100" /></label>
      <button class="second">Find reports</button>
    </form>
    ${problem?.action === 'merge' ? notice('error', 'Nothing was merged. Select the report to keep.') : null}
    ${
      found.length === 0
        ? html`<p data-empty>No other report matches.</p>`
        : html`<form method="post" action="${prefix}/admin/reports/merge">
            <input type="hidden" name="id" value="${report.id}" />
            <input type="hidden" name="item" value="${report.id}" />
            <fieldset>
              <legend>Report to keep</legend>
              ${found.map(
                (one) =>
                  html`<p class="field check">
                    <label for="into-${one.id}"
                      ><input id="into-${one.id}" type="radio" name="into" value="${one.id}" required /><span
                        ><bdi>${one.content.title}</bdi
                        ><small
                          >${capitalize(one.status)} · <bdi>${one.subject.surface}</bdi> · ${time(one.createdAt)}</small
                        ></span
                      ></label
                    >
                  </p>`,
              )}
            </fieldset>
            <p><button>Merge reports</button></p>
          </form>`
    }`
}
