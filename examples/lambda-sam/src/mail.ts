import type { Mailer } from '@tributary/core'

/** Sends e-mails with Amazon SES. The SDK is in Lambda's runtime, and is loaded when the first e-mail is sent. */
export function sesMailer(from: string): Mailer {
  let made: Promise<(to: string, subject: string, text: string) => Promise<unknown>> | null = null
  const open = (): NonNullable<typeof made> =>
    (made ??= import('@aws-sdk/client-sesv2').then(({ SESv2Client, SendEmailCommand }) => {
      // The client does not retry, because SES may have accepted a mail whose response was lost. The outbox decides
      // when to retry.
      const client = new SESv2Client({ maxAttempts: 1 })
      return (to, subject, text) =>
        client.send(
          new SendEmailCommand({
            FromEmailAddress: from,
            Destination: { ToAddresses: [to] },
            Content: {
              Simple: {
                Subject: { Data: subject, Charset: 'UTF-8' },
                Body: { Text: { Data: text, Charset: 'UTF-8' } },
              },
            },
          }),
          { abortSignal: AbortSignal.timeout(30_000) },
        )
    }))
  return {
    async send({ to, subject, text }) {
      await (
        await open()
      )(to, subject, text)
    },
  }
}
