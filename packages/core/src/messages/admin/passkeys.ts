/** Passkeys of operators: their page, and the second step of an operator's sign-in. */
export const passkeyMessages = {
  'passkeys.intro': `A passkey is kept by your device, your browser or a security key, and works only on this domain. Once you have
    one, signing in with a browser needs both your token and a passkey. Programs still need only the token.`,
  'passkeys.two': 'Add a second one on another device, in case you lose the first.',
  'passkeys.none': 'No passkeys yet: the token is enough to sign in.',
  'passkeys.caption': 'By operator. Times are UTC.',
  'passkeys.operator': 'Operator',
  'passkeys.name': 'Name',
  'passkeys.domain': 'Domain',
  'passkeys.added': 'Added',
  'passkeys.used': 'Last used',
  'passkeys.never': 'Never',
  'passkeys.add': 'Add a passkey',
  'passkeys.nameHint': 'Where it is kept, such as "Work laptop" or "Blue security key".',
  'passkeys.addButton': 'Add passkey',
  'passkeys.nameError': 'Enter a name of at most 64 characters.',
  'passkeys.again': 'To add or remove passkeys, sign in again. Your last sign-in was more than 15 minutes ago.',
  'passkeys.remove': 'Remove',
  'passkeys.removeOne': 'Remove {name} of {operator}',
  'passkeys.removeTitle': 'Remove this passkey?',
  'passkeys.removeEffect': `{operator} can no longer sign in with the passkey {name}. Other browsers that it signed in are
    signed out.`,
  'passkeys.removeLast': 'It is the last one of {operator}: the token will be enough to sign in.',
  'passkeys.removeConfirm': 'Remove passkey',
  'passkeys.done.added': 'Passkey added. From now on you sign in with your token and a passkey.',
  'passkeys.done.removed': 'Passkey removed.',
  'passkeys.done.not_found': 'This passkey was removed before.',
  'passkeys.done.exists': 'This passkey is registered already.',
  'passkeys.done.too_many': 'You have 10 passkeys. Remove one first.',
  'passkeys.confirmTitle': 'Confirm with your passkey',
  'passkeys.confirm': 'Your token is right, {name}. Now confirm that it is you.',
  'passkeys.use': 'Use passkey',
  'passkeys.denied': 'The passkey was not accepted. Try again, or use another one.',
  'passkeys.lost': `Lost your passkey? Another operator can remove it under Passkeys. If there is no other operator, add one
    to the configuration of the server for as long as it takes.`,
  'passkeys.noScript':
    'Passkeys need JavaScript: browsers offer them only to scripts. Turn JavaScript on and reload the page.',
  'passkeys.error.unsupported': 'This browser has no passkeys. Use another one.',
  'passkeys.error.cancelled': 'No passkey was used. Try again.',
  'passkeys.error.exists': 'This device has a passkey of yours already.',
  'passkeys.error.failed': 'The passkey could not be used. Reload the page and try again.',
  'passkeys.noVerifier': `This server cannot verify passkeys. Install the package {package}; in your own app, set
    the option {option} too.`,
  'passkeys.noDomain': `Browsers allow passkeys only on an https address with a domain name, or on localhost. To add one,
    restart the server with {flag} set to such an address, and open this page there.`,
  'passkeys.otherDomain': `Your passkeys belong to {domains}, and this server now has another domain. Another operator can
    remove them.`,
} as const
