import type * as z from 'zod'
import type { ReportItem } from './contract.ts'
import { percent } from '../ui/format.ts'
import { statuses } from './rules.ts'
import { formError, html, type Html, messagesOf, notice, number } from '../ui/html.ts'
import { reportsMessages } from '../messages/admin/reports.ts'
import type { SectionListParams } from '../admin/contract.ts'
import {
  auditLink,
  listTable,
  message as shared,
  sectionPath,
  status as tag,
  time,
  translateValue,
} from '../ui/operator/pages.ts'

const message = messagesOf(reportsMessages)

export type Report = z.output<typeof ReportItem>

/** A change by an operator to a report. */
interface Change {
  readonly at: string
  readonly actor: string
  readonly action: 'update' | 'merge' | 'separate'
  readonly from: string | null
  readonly to: string | null
}

export interface ReportDetails {
  readonly report: Report
  readonly duplicates: readonly Report[]
  /** The changes of the report, newest first. */
  readonly history: readonly Change[]
  /** The forms that merge the report into another. */
  readonly others: Html | null
}

/** Returns a word of the protocol for people: `Docs page`. An unknown word is returned unchanged. */
export function translateName(name: string): Html | string {
  const key = `reports.word.${name}`
  return Object.hasOwn(reportsMessages, key) ? message(key as 'reports.word.other') : name
}

/** Renders a severity, even an unknown severity, as a label. */
export const severityTag = (severity: string | number | undefined): Html | null =>
  severity === undefined ? null : tag(String(severity), translateName(String(severity)))

/** Returns the agent that sent a report. */
export const formatAgent = ({ reporter: { agent_vendor, agent_product, agent_version } }: Report): string =>
  [agent_vendor, agent_product, agent_version].filter(Boolean).join(' ')

/** Renders the title of a report as a link to its page. */
export const reportLink = (prefix: string, { id, content }: Report): Html =>
  html`<a href="${prefix}${sectionPath('reports', id)}"><bdi>${content.title}</bdi></a>`

/**
 * Renders the page of a report: its texts, evidence and duplicates, and the forms that change its status and merge it.
 */
export function reportPage(
  shown: SectionListParams,
  { report, duplicates, history, others }: ReportDetails,
): { title: string; body: Html } {
  const { prefix } = shown
  const { id, content, status, duplicateOf, observation, evidence, evidenceCount, createdAt } = report
  const by = message('reports.by', {
    kind: message(observation ? 'reports.observation' : 'reports.report'),
    agent: html`<bdi>${formatAgent(report)}</bdi>`,
  })
  const more = evidenceCount - evidence.length
  return {
    title: content.title,
    body: html`<div class="facts">
        ${tag(status)}
        <span>${by}</span>
        <span>${message('reports.receivedAt', { time: time(createdAt) })}</span>
        ${duplicateOf === null ? statusForm(prefix, report) : null}
      </div>
      ${duplicateOf === null ? null : mergedNotice(prefix, id, duplicateOf)}
      <p class="hint">${message('reports.untrusted')}</p>
      ${details(report)}
      <h2>${message('reports.history')}</h2>
      ${historyTable(history)} ${auditLink(prefix, id)}
      <h2>${message('reports.evidence')}</h2>
      ${evidence.length === 0 ? html`<p data-empty>${message('reports.noEvidence')}</p>` : null}
      ${evidence.map(
        (piece) =>
          html`<h3>${translateName(piece.type)}</h3>
            ${piece.reportId === id ? null : origin(prefix, piece.reportId, duplicates)}
            <pre tabindex="0"><bdi>${piece.content}</bdi></pre>`,
      )}
      ${more > 0 ? html`<p>${message('reports.more', { count: more })}</p>` : null}
      ${
        duplicateOf === null
          ? html`<h2>${message('reports.duplicates')}</h2>
              ${duplicateTable(prefix, id, duplicates)} ${others}`
          : null
      }`,
  }
}

/**
 * Names the duplicate that a piece of evidence came from. A duplicate that is not listed is a link without its title.
 */
function origin(prefix: string, reportId: string, duplicates: readonly Report[]): Html {
  const sent = duplicates.find(({ id }) => id === reportId)
  const report = sent
    ? reportLink(prefix, sent)
    : html`<a href="${prefix}${sectionPath('reports', reportId)}">${message('reports.another')}</a>`
  return html`<p class="hint" data-origin>${message('reports.cameWith', { report })}</p>`
}

function mergedNotice(prefix: string, id: string, duplicateOf: string): Html {
  const report = html`<a href="${prefix}${sectionPath('reports', duplicateOf)}">${message('reports.another')}</a>`
  return html`${notice('info', message('reports.duplicateOf', { report }))} ${separateForm(prefix, id, id)}`
}

/**
 * Renders the form that turns a duplicate back into a separate report. `item` is the page to which the browser returns.
 */
const separateForm = (prefix: string, id: string, item: string): Html =>
  html`<form method="post" action="${prefix}/admin/reports/separate">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="item" value="${item}" />
    <button class="second small" aria-label="${message('reports.separateOne', { id })}">
      ${message('reports.separate')}
    </button>
  </form>`

/** Renders the form that sets a report's status; the browser returns to the report's page. */
function statusForm(prefix: string, { id, status }: Report): Html {
  return html`<form class="inline" method="post" action="${prefix}/admin/reports/status">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="item" value="${id}" />
    <label for="status">${shared('admin.status')}</label>
    <select id="status" name="status">
      ${statuses.map((name) => html`<option value="${name}" ${name === status ? html` selected` : null}>${translateValue(name)}</option>`)}
    </select>
    <button class="small">${message('reports.update')}</button>
  </form>`
}

/** Returns the name of a signal for people. An unknown name is returned unchanged. */
function signalName(name: string): Html | string {
  const key = `reports.signal.${name}`
  return Object.hasOwn(reportsMessages, key) ? message(key as 'reports.signal.category') : name
}

function details({ id, subject, signal, content }: Report): Html {
  const rows: readonly (readonly [name: Html | string, value: string | number | Html | undefined])[] = [
    [message('reports.summary'), content.summary && html`<span class="text"><bdi>${content.summary}</bdi></span>`],
    [
      message('reports.hypothesis'),
      content.hypothesis && html`<span class="text"><bdi>${content.hypothesis}</bdi></span>`,
    ],
    [message('reports.surface'), html`<bdi>${subject.surface}</bdi>`],
    [message('reports.domain'), subject.domain && html`<bdi>${subject.domain}</bdi>`],
    [message('reports.kind'), subject.kind && translateName(subject.kind)],
    ...Object.entries(signal).map(
      ([name, value]) =>
        [
          signalName(name),
          name === 'severity'
            ? (severityTag(value) ?? undefined)
            : typeof value === 'string'
              ? translateName(value)
              : value === undefined
                ? undefined
                : name === 'confidence'
                  ? percent(value)
                  : number(value),
        ] as const,
    ),
    [message('reports.id'), html`<code>${id}</code>`],
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
    caption: message('reports.duplicatesCaption'),
    empty: message('reports.noDuplicates'),
    items: duplicates,
    next: null,
    columns: [
      [message('reports.report'), (duplicate) => reportLink(prefix, duplicate)],
      [message('reports.from'), (duplicate) => html`<bdi>${formatAgent(duplicate)}</bdi>`],
      [message('reports.received'), ({ createdAt }) => time(createdAt)],
      [shared('admin.actions'), ({ id }) => separateForm(prefix, id, item), 'act'],
    ],
  })

const historyTable = (history: readonly Change[]): Html =>
  listTable({
    caption: shared('admin.newestFirst'),
    empty: message('reports.noHistory'),
    items: history,
    next: null,
    columns: [
      [message('reports.changedAt'), ({ at }) => time(at)],
      [message('reports.operator'), ({ actor }) => html`<bdi>${actor}</bdi>`],
      [
        message('reports.change'),
        ({ action, from, to }) =>
          action === 'update'
            ? html`${from === null ? null : html`${tag(from)} → `}${to === null ? null : tag(to)}`
            : message(`reports.change.${action}`),
      ],
    ],
  })

/** The statuses of closed reports. */
const closedStatuses: ReadonlySet<string> = new Set(['resolved', 'dismissed', 'spam'])

/** Renders the search for the report to merge with, and the form that merges the two reports. */
export function mergeForms(
  { prefix, problem, query }: Pick<SectionListParams, 'prefix' | 'problem' | 'query'>,
  { report, words, found }: { report: Report; words: string; found: readonly Report[] },
): Html {
  const path = `${prefix}${sectionPath('reports', report.id)}`
  const isOpen = problem?.action === 'merge' || 'q' in query
  return html`<details id="merge" ${isOpen ? html` open` : null}>
    <summary>${message('reports.merge')}</summary>
    <p>${message('reports.mergeIntro')}</p>
    <form class="search" method="get" action="${path}#merge">
      <label for="into-q"
        >${message('reports.words')} <input id="into-q" name="q" type="search" value="${words}" maxlength="100"
      /></label>
      <button class="second">${message('reports.find')}</button>
    </form>
    ${problem?.action === 'merge' ? formError(message('reports.notMerged')) : null}
    ${
      found.length === 0
        ? html`<p data-empty>${message('reports.noOther')}</p>`
        : html`<form method="post" action="${prefix}/admin/reports/merge">
            <input type="hidden" name="id" value="${report.id}" />
            <input type="hidden" name="item" value="${report.id}" />
            <fieldset>
              <legend>${message('reports.keep')}</legend>
              ${found.map(
                (one) =>
                  html`<p class="field check">
                    <label for="into-${one.id}"
                      ><input id="into-${one.id}" type="radio" name="into" value="${one.id}" required /><span
                        ><bdi>${one.content.title}</bdi
                        ><small
                          >${translateValue(one.status)} · <bdi>${one.subject.surface}</bdi> ·
                          ${time(one.createdAt)}</small
                        >${
                          closedStatuses.has(one.status)
                            ? html`<small class="error">${message('reports.closed')}</small>`
                            : null
                        }</span
                      ></label
                    >
                  </p>`,
              )}
            </fieldset>
            <p><button class="second">${message('reports.mergeButton')}</button></p>
          </form>`
    }
  </details>`
}
