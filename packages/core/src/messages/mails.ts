/** The mails to people. */
export const mailMessages = {
  'mail.code.subject': '{code} is your {brand} sign-in code',
  'mail.code.text': `Your sign-in code is {code}

Enter it in the browser or program where you requested it. It works once, only there, and expires in 10 minutes.
Do not give this code to anybody. Nobody from {brand} will ask you for it. If you didn't try to sign in, ignore this e-mail.
`,
  'mail.support': 'Questions? Write to {email}.\n',
} as const
