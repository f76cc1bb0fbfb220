/** The header and footer of every page. */
export const layoutMessages = {
  'layout.skip': 'Skip to the content',
  'layout.account': 'Account',
  'form.checkFields': 'Nothing was saved. Check the highlighted fields.',
  'form.fields_one': 'Nothing was saved. {count} field needs attention:',
  'form.fields_other': 'Nothing was saved. {count} fields need attention:',
  'form.error': 'Error:',
  'layout.support': 'Contact',
  'layout.terms': 'Terms',
  'layout.privacy': 'Privacy',
  'layout.docs': 'API reference',
  'nav.traces': 'Traces',
  'nav.uploads': 'Uploads',
  'nav.earnings': 'Earnings',
  'nav.account': 'Account',
  'nav.signIn': 'Sign in',
  'nav.signOut': 'Sign out',
  'copy.copy': 'Copy',
  'copy.copied': 'Copied',
  'form.optional': '(optional)',
  'privacy.title': 'Privacy',
  'client.run': `The client is the program that sends your conversations. You run it in a terminal, on the device that holds
    them:`,
  'client.runExample': `The client is the program that sends your conversations. You run it in a terminal, on the
    device that holds them, in the folder with the source code of Tributary, one command at a time. It needs Node.js
    20.19 or later. Ask the operator of this service for a copy: {link}.`,
  'client.contact': 'Contact',
} as const
