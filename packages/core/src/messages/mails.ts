/** The mails to people. */
export const mailMessages = {
  'mail.code.subject': '{code} is your {brand} sign-in code',
  'mail.code.text': `Your sign-in code is {code}

Enter it in the browser or program where you requested it. It works once, only there, and expires in 10 minutes.
Do not give this code to anybody. Nobody from {brand} will ask you for it. If you didn't try to sign in, ignore this e-mail.
`,
  'mail.code.refused': 'Sign-in code',
  'mail.support': 'Questions? Write to {email}.\n',
  'mail.approved.subject': 'Your application was approved',
  'mail.approved.text': `Your application to contribute traces was approved. You can upload now.

Go to your traces: {link}
`,
  'mail.rejected.subject': 'Your application was not approved',
  'mail.rejected.text': `We reviewed your application to contribute traces and did not approve it.

You can apply again: {link}
`,
  'mail.rejected.textReason': `We reviewed your application to contribute traces and did not approve it.

Reason:

{reason}

You can apply again: {link}
`,
  'mail.contact.subject': 'Your contact details were changed',
  'mail.contact.text': `The contact details of your {brand} account were changed. We write to this contact about payouts.

See the contact details: {contact}

If you didn't change them, sign out all other browsers and devices, then correct the contact details: {account}
`,
  'mail.payout.subject': 'Your payout of {amount} was sent',
  'mail.payout.text': `We sent you a payout of {amount}.

Amount: {amount}
Reference: {reference}

Depending on your bank, it can take a few days to arrive.

View your earnings: {link}
`,
  'mail.payoutRequest.subject': 'We received your payout request',
  'mail.payoutRequest.text': `You requested a payout of your available balance. You get another e-mail when it is decided.

View your earnings: {link}

If you didn't request it, sign out all other browsers and devices: {account}
`,
  'mail.payoutRejected.subject': 'Your payout request was rejected',
  'mail.payoutRejected.text': `We rejected your payout request. Your balance did not change.

Reason:

{reason}

View your earnings: {link}
`,
  'mail.firstSale.subject': 'Your traces were sold for the first time',
  'mail.firstSale.text': `Traces that you contributed were sold for the first time. Your share is on your earnings page. It is
pending at first, and can be paid out once it is available.

View your earnings: {link}
`,
  'mail.removal.subject': 'Delete traces that you bought',
  'mail.removal.erased': `A contributor deleted their account, and you bought some of their traces. You must delete your copies.`,
  'mail.removal.withdrawn': `We withdrew a trace that you bought. You must delete your copies.`,
  'mail.removal.text': `{reason}

See which traces they are, and confirm when your copies are deleted: {link}

Programs get the same list from {feed}
`,
  'mail.reminder.subject': 'Reminder: delete traces that you bought',
  'mail.reminder.text_one': `You must delete {count} trace that you bought. You have not confirmed the deletion yet.

See which trace it is, and confirm when your copies are deleted: {link}
`,
  'mail.reminder.text_other': `You must delete {count} traces that you bought. You have not confirmed the deletion yet.

See which traces they are, and confirm when your copies are deleted: {link}
`,
  'mail.reminder.textMore': `You must delete more than {count} traces that you bought. You have not confirmed the deletion yet.

See which traces they are, and confirm when your copies are deleted: {link}
`,
  'mail.uploadsOpen.subject': 'Uploads are now open in your country',
  'mail.uploadsOpen.text': `You asked us to tell you when uploads open in {country}. They are open now.

Read the terms and get started: {link}

You get this e-mail once, because you joined the waitlist with this address.
`,
} as const
