import { lifetimes } from '../auth/rules.ts'
import { sentAlways, sentWithAttribution } from '../ads/disclosure.ts'
import { serveRetentionMs } from '../ads/rules.ts'
import { accountMessages } from '../messages/account.ts'
import { html, mailLink, type Html } from '../ui/html.ts'
import { table } from '../ui/table.ts'
import { failedKeptMs } from '../ingest/rules.ts'
import { dayMs } from '../ids.ts'
import { retentionMs as mailMs } from '../outbox/rules.ts'

const showList = (sent: typeof sentAlways): Html =>
  html`<ul>
    ${sent.map(({ text }) => html`<li>${accountMessages[text]}</li>`)}
  </ul>`

/** The facts about a service, as configured, that the privacy text states. */
export interface PrivacyTerms {
  readonly prefix: string
  readonly capabilities: { readonly ads: boolean; readonly reports: boolean; readonly telemetry: boolean }
  /** The time for which telemetry, feedback, finished jobs and audit entries are kept, in milliseconds. */
  readonly telemetryMs: number
  readonly feedbackMs: number
  readonly jobMs: number
  readonly auditMs: number
  /** The number of days after its last change at which an agent report is deleted. */
  readonly reportDays: number
  readonly brand: { readonly supportEmail?: string }
  readonly ads: { readonly network?: unknown }
}

const days = (ms: number): string => `${Math.round(ms / dayMs)} days`

/** The sections of the text. At the start of the text there are links to the sections. */
const sections = [
  ['kept', 'What is kept, and for how long'],
  ['recipients', 'Who gets it'],
  ['rights', 'Export and delete'],
] as const

/** A kind of stored data: its name, its contents, and how long it is kept. */
type Kept = readonly [name: string, what: string | null, time: string]

function keptData({ capabilities, telemetryMs, feedbackMs, jobMs, auditMs, reportDays }: PrivacyTerms): Kept[] {
  const untilDeleted = 'Until you delete your account'
  return [
    [
      'Your account',
      'your e-mail address, what you entered about your company and how to contact you, which terms you accepted and when, whether you live where uploads are open, your place on the waitlist, your blocked terms (words and names that are replaced in your traces) and your preferences',
      untilDeleted,
    ],
    [
      'The sign-in of a browser',
      'its name, and when it was last used',
      `For ${days(lifetimes.session)} after its last use, ${days(lifetimes.sessionMax)} at most`,
    ],
    [
      'The sign-in of a device',
      'its name, and when it was last used',
      `For ${days(lifetimes.token)} after its last use`,
    ],
    [
      'An upload, encrypted',
      null,
      `Until our redaction program has processed it; if that fails, for ${failedKeptMs / (60 * 60 * 1000)} hours`,
    ],
    ['The result of each trace in an upload', 'whether it was stored, and if not, why', `For ${days(jobMs)}`],
    [
      'Your traces: the conversations that you upload',
      'after redaction, with the terms that you had accepted and the country of the upload. A buyer learns how many traces of a sale come from each country and under which terms, but not which trace',
      'Until you delete your account. A trace that was never sold: until you delete it',
    ],
    [
      'A hash of the content of a trace that you deleted, and of its ID',
      'so that it is not stored again. A hash is a fingerprint: it shows that two texts are the same, but the text cannot be read from it',
      untilDeleted,
    ],
    [
      'Your earnings',
      'their amount, kind, time, sale and the reference of a payout. Financial records must stay complete',
      `${untilDeleted}; after that without a limit, but no longer linked to you`,
    ],
    [
      'E-mails that the service sends you',
      null,
      `The text until it is sent, recipient and subject for ${days(mailMs)} after that. If it cannot be sent, the whole e-mail is kept for ${days(mailMs)}`,
    ],
    [
      'Your IP address and the e-mail address of a sign-in',
      'to limit how often somebody tries to sign in. The log of this software holds only hashes of them',
      'For two days at most',
    ],
    ...(capabilities.telemetry
      ? ([
          [
            'What your client reports about its own work',
            'an ID of your device, the version of the client, the platform, the command that ran, and the events and errors that the client names',
            `For ${days(telemetryMs)}`,
          ],
          ['Feedback that you send with your client', null, `For ${days(feedbackMs)}`],
        ] as const)
      : []),
    ...(capabilities.ads
      ? ([
          [
            'Sponsor lines that were sent to your devices',
            'a sponsor line is one line of advertising, which your client may show in the terminal',
            `For ${days(serveRetentionMs)}`,
          ],
          ['How many sponsor lines each of your devices showed per day, and your ratings of lines', null, untilDeleted],
        ] as const)
      : []),
    ...(capabilities.reports
      ? ([
          [
            'Reports about this service that your AI agent sends',
            'an AI agent is a program that works for you, such as a coding assistant. Its reports are stored without a link to your account',
            `For ${reportDays} days after their last change`,
          ],
        ] as const)
      : []),
    ['Actions of operators', 'such as the review of your application', `For ${days(auditMs)}`],
  ]
}

/**
 * Renders the default privacy text, for an operator without a text of their own: a description of the stored data in
 * plain words.
 */
export function defaultPrivacy(terms: PrivacyTerms): Html {
  const { capabilities, brand, prefix } = terms
  const contact = brand.supportEmail
  const account = html`<a href="${prefix}/account">account page</a>`
  const [kept, recipients, rights] = sections.map(([id, name]) => html`<h2 id="${id}">${name}</h2>`)
  return html`<div class="prose" lang="en">
    <p>
      This page says what this service keeps about you, for how long, who gets it, and how you export and delete it. A
      trace is one of your conversations with an AI tool. The client is the program on your device that uploads it. On
      our server, our redaction program replaces what it recognizes as secrets and personal data in a trace, and only
      then stores the trace.
    </p>
    <nav class="jump" aria-label="On this page">
      On this page: ${sections.map(([id, name]) => html`<a href="#${id}">${name}</a>`)}
    </nav>
    <p>
      The operator of this service is responsible for this data and chooses who stores it and who sends its e-mails.
      ${contact === undefined ? null : html`If you have a question, write to ${mailLink(contact)}.`}
    </p>
    ${kept}
    ${table({
      caption: 'These periods are the settings of this server.',
      items: keptData(terms),
      columns: [
        [
          'Data',
          ([name, what]) =>
            html`<span class="sentence"><strong>${name}</strong>${what === null ? null : html`: ${what}`}</span>`,
        ],
        ['Kept', ([, , time]) => time],
      ],
    })}
    <p>We use cookies only to sign you in, to keep you signed in, and to recognize a browser that signed in before.</p>
    ${recipients}
    <p>
      Buyers get copies of traces after redaction, with IDs that are random for each sale. They also learn how many
      traces of a sale come from each country, and how many were uploaded under each version of the terms. They get
      nothing else about you.
    </p>
    <p>
      Operators see your account, your uploads and your earnings. They can read traces that are for sale or were sold;
      each that they read, and each download, is recorded. The operator's other systems may receive events with the ID
      of your account: that you applied, were approved or rejected, that uploads were paused, that an upload was
      processed or contained text that was already stored, or that you deleted traces or your account.
    </p>
    ${
      capabilities.ads
        ? html`<p>
              ${
                terms.ads.network
                  ? 'This service gets sponsor lines from an ad network. With each request for a line, the network gets:'
                  : 'This service uses no ad network now. If it uses one later, the network gets with each request for a line:'
              }
            </p>
            ${showList(sentAlways)}
            <p>If you agree on your ${account}, it also gets:</p>
            ${showList(sentWithAttribution)}
            <p>
              We never send it your IP address, e-mail address or traces. Only if you allow the tracking pixel on your
              account page, the network learns your IP address: the pixel is an image that your client loads from the
              network, which tells it that a line was seen.
            </p>`
        : null
    }
    ${rights}
    <p>
      Your ${account} exports everything held about you as one JSON document, ends the sign-in of each browser and
      device, and deletes your account. You can also download each trace, and exclude or delete it until it is sold for
      the first time.
    </p>
    <p>
      If you delete your account, everything above is deleted, except your earnings, which are then no longer linked to
      you, and what the table keeps for a number of days, such as the recipient and subject of e-mails and the actions
      of operators. Buyers of your traces are told to delete their copies, and you see when they confirmed it. Backups
      keep your data until the operator overwrites them.
    </p>
  </div>`
}
