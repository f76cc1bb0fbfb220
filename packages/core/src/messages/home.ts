/** The home page, for visitors and for persons who are signed in. */
export const homeMessages = {
  'home.title': 'Share your AI conversations and get paid',
  'home.tab': 'Home',
  'home.lead': `You upload conversations between yourself and AI tools, such as the sessions of a coding agent. Each uploaded
    conversation is called a trace. {brand} redacts the secrets and personal data that it recognizes, and sells copies to others,
    who may train and test AI models with them. You get a share of the price.`,
  'home.signIn': 'Sign in or create an account',
  'home.readTerms': 'Read the terms',
  'home.overview': 'Overview',
  'home.open': 'Uploads open',
  'home.openText': 'New uploads appear under {uploads}, their traces under {traces}.',
  'home.pausedSee': 'See {account}.',
  'home.account': 'your account',
  'home.balance': 'Available',
  'home.pending': 'Pending',
  'home.uploads': 'Uploads',
  'home.traces': 'Traces',
  'home.lastUpload': 'Last upload (UTC)',
  'home.none': 'None',
  'home.uploadsCaption': 'Failed uploads first, then newest. Times are UTC.',
  'home.allUploads': 'All uploads',
  'home.lastUploads': 'Recent uploads',
  'home.alsoOperator': 'This browser is also signed in as operator {name}. {link}.',
  'home.toOperatorPages': 'Go to the operator pages',
  'home.removed': 'What is redacted',
  'home.removedIntro':
    'Before a trace is stored, our redaction program replaces these with placeholders such as {placeholder}:',
  'home.removedRecognized':
    'what it recognizes as passwords, keys, e-mail addresses, phone numbers, card numbers and the like',
  'home.removedProvided': `what you told us about yourself: the e-mail address of your account, your contact details, the name and
    websites of your company`,
  'home.removedIdentity': `account names and names of the people who wrote the conversation, and of colleagues in commits, reviews
    and mail headers, where it recognizes them`,
  'home.removedTerms': 'the words and names on your list of {link}',
  'home.blockedTerms': 'blocked terms',
  'home.example': 'An example',
  'home.before': 'As you upload it',
  'home.after': 'As it is stored',
  'home.exampleKept': 'The redaction program cannot tell that {name} is private. Add such names to your {link}.',
  'home.kept': 'What is not redacted',
  'home.keptText': `Our redaction program does not recognize every name of other people in running text. It does not recognize
    words of your company that are not in your details, descriptions that identify a person without a name, or text in
    images. It is careful, but no such program finds everything. If something must not leave your device, do not upload it.`,
  'home.control': `You can read each trace as it is stored. Until it is sold for the first time, you can exclude it from sale or
    delete it. If you delete your account later, the buyers of your traces are told to delete their copies.`,
  'home.start': 'How to start',
  'home.startSignIn': '{link} with your e-mail address.',
  'home.signInLink': 'Sign in',
  'home.startApply': `Accept the {link} and apply as a contributor. The form asks for your company, its website and your role.
    Contact details are optional until a payout.`,
  'home.termsLink': 'terms',
  'home.review': 'We review every application by hand, and e-mail you the decision.',
  'home.startUpload': 'Upload with the client, a program on your device.',
  'home.upload': 'How to upload',
  'home.uploadPending': 'You can log in and preview now; uploading opens when your application is approved.',
  'home.commands': 'Commands',
  'home.commandsText': `The first command tells the client which service to use. {login} signs the client in. Skip it
    on a device that is signed in. {setup} chooses which tools and projects to read, and sends nothing. {preview}
    shows what would be sent and what would be redacted, and sends nothing. {upload} asks before it sends anything.`,
  'home.countries_one': 'Uploads are open to residents of {countries}. Live elsewhere? {link}.',
  'home.countries_other': 'Uploads are open to residents of these countries: {countries}. Live elsewhere? {link}.',
  'home.waitlist': 'Join the waitlist',
  'home.money': 'How you earn',
  'home.sales': 'Sales.',
  'home.salesText': `Contributors get {share} of the price of a sale. It is divided among them by how much new text their traces
    have. New text is text that no other contributor uploaded earlier and that the buyer does not have yet. It is counted in
    tokens, which are pieces of words.`,
  'home.availableAtOnce': 'Your share is available immediately.',
  'home.availableAfter_one': 'Your share is available {count} day after the sale.',
  'home.availableAfter_other': 'Your share is available {count} days after the sale.',
  'home.lines': 'Sponsor lines.',
  'home.linesText': `A sponsor line is one line of advertising that your client may show in the terminal. You get {share} of what
    sponsors pay for the lines that your devices show.`,
  'home.development': 'Development',
  'home.developmentText': 'These pages exist only while the service runs in development.',
  'home.minPayout': 'Payouts.',
  'home.minPayoutText': 'You can request a payout once {amount} is available. We may also pay out smaller amounts.',
  'home.payouts': 'Payouts go to approved contributors. They are made by hand. There is no fixed date.',
  'home.payoutMail': 'You get an e-mail when a payout is recorded.',
  'home.estimates': `Traces show an estimated value. It is not an offer to pay. If you delete your account, what was not paid out
    is lost.`,
} as const
