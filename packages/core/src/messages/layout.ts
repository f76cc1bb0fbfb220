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
  'client.runExample': `The client is the program that sends your conversations. First ask the operator of this service for
    the source code of Tributary, which contains the client: {link}. You also need Node.js 20.19 or later. Then run these
    commands one at a time in a terminal, in the folder with the source code, on the device that has your conversations:`,
  'client.contact': 'Contact',
} as const
