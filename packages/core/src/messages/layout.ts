/** The header and footer of every page. */
export const layoutMessages = {
  'layout.skip': 'Skip to the content',
  'layout.account': 'Account',
  'form.checkFields': 'Nothing was saved. Check the highlighted fields.',
  'form.error': 'Error:',
  'layout.support': 'Support',
  'layout.terms': 'Terms',
  'layout.privacy': 'Privacy',
  'layout.docs': 'API reference',
  'nav.traces': 'Traces',
  'nav.uploads': 'Uploads',
  'nav.earnings': 'Earnings',
  'nav.account': 'Account',
  'nav.signIn': 'Sign in',
  'nav.signOut': 'Sign out',
  'form.optional': '(optional)',
  'privacy.title': 'Privacy',
} as const
