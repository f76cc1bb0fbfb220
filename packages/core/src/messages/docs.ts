/**
 * The pages of the API reference. The descriptions of endpoints are part of the interface and are always in English.
 */
export const docsMessages = {
  'docs.title': 'API reference',
  'docs.also': 'Every endpoint of this service, for people who write clients. Also as an {openapi} and as {text}.',
  'docs.alsoInteractive': `Every endpoint of this service, for people who write clients. Also as an {interactive}, as an {openapi} and
    as {text}.`,
  'docs.interactive': 'interactive page',
  'docs.openapi': 'OpenAPI 3.1 document',
  'docs.text': 'plain text',
  'docs.sections': 'Contents',
  'docs.firstCall': 'Get a token and make the first call',
  'docs.start': `Start an authorization. The reply has a {userCode} for the person, a {deviceCode} for your client and a
    {verificationUrl}.`,
  'docs.authorize': 'The person signs in at that address and authorizes the device.',
  'docs.poll': `Poll for the token, at most once every {interval} seconds. Until the person decides, the status is
    {pending}. The error {denied} means that the person refused or that the token was already taken. {expired} means
    that the code is too old. Then start again.`,
  'docs.call': 'Send the token as a bearer token, for example to get the current session.',
  'docs.command': 'Command of step {number}',
  'docs.replyIs': 'Reply: {reply}',
  'docs.callersTitle': 'Who may call an endpoint',
  'docs.callers': 'Each endpoint below starts with its callers:',
  'docs.caller.anyone': 'anyone: no authentication',
  'docs.caller.token': 'token: the bearer token of a contributor, which the steps above get',
  'docs.caller.browser': 'signed-in browser: the session cookie of a browser that signed in',
  'docs.caller.buyer': 'buyer: the bearer token of a buyer, which an operator creates',
  'docs.caller.operator': 'operator: the bearer token of an operator. Only operators see these endpoints here.',
  'docs.caller.inBrowser': 'buyer or operator, in a browser: the cookie of a browser that signed in with such a token',
  'docs.errorsTitle': 'Errors',
  'docs.errors': `The body of an error is JSON, and {error} in it is a code. Each endpoint lists its errors as status and code,
    such as {status}.`,
  'docs.issues': `With status 400, {issues} lists each invalid field: its {path} in your request, a {code} and a {message}.
    Where a body has no {issues}, the header {header} has the fields and messages as text.`,
  'docs.requestId': 'Each reply has the header {header}. Quote its value when you ask the operator about an error.',
  'docs.site': 'Pages and forms',
  'docs.siteText': "Pages that a browser loads and forms that it sends. API clients don't need them.",
  'docs.schemas': 'Schemas',
  'docs.path': 'Path',
  'docs.query': 'Query',
  'docs.body': 'Body',
  'docs.success': 'Success: {reply}',
  'docs.reply': 'Reply',
  'docs.failures': 'Errors: {failures}',
  'docs.isSlow': 'It takes a few seconds at first. {link}.',
  'docs.loading': 'Loading…',
  'docs.testRequest': `“Test Request” opens a form. What you send with it is a real request to this service. Where an
    operation needs a token, choose its type under “Authentication” and enter it first. For an operation with “signed-in
    browser”, enter nothing, but {link} in this browser first.`,
  'docs.signIn': 'sign in',
  'docs.needsScripts': 'This page needs JavaScript. {link}.',
  'docs.toPlain': 'Read the page without scripts',
  'docs.plain': 'Plain reference',
} as const
