/**
 * The default terms, for an operator without terms of their own: a description of this software in plain words. The
 * terms mention advertising only if the service shows sponsor lines. Empty lines separate paragraphs; a paragraph that starts
 * with `## ` is a heading.
 */
export const defaultTerms = (showsSponsors: boolean): string => `## What you contribute and permit

You upload conversations between yourself and AI tools with a program on your device, the client. Each uploaded conversation is called a trace. Upload only what you may share: not your employer's secrets, not other people's private words, nothing that a contract or the law forbids you to share.

You permit us to store your traces, redact them, group them into datasets, and sell copies of them to others, who may train and test AI models with them.

## What we redact before storing

Your upload waits, encrypted, until our redaction program has processed it. Then the upload is deleted. If processing fails, it is deleted after 24 hours, or earlier if you delete it. Before the program stores a trace, it redacts it: it replaces what it recognizes as passwords, keys, e-mail addresses, phone numbers, card numbers and the like with placeholders. It also redacts what you told us about yourself (your account's e-mail address, your contact details, the name and websites of your company), what it recognizes as account names and names of the people who wrote a conversation, and the words on your list of blocked terms.

Our redaction program does not recognize every name of other people in running text. It does not recognize words of your company that are not in your details, descriptions that identify a person without a name, or text in images. It is careful, but no such program finds everything. If something must not leave your device, do not upload it.

When you change these details or your list, or when the program learns to find more, traces that were not sold are processed again. A sold trace is processed again only when it is sold again.

## What you control

You can see each trace as we store it, and download it. Until it is sold for the first time, you can also exclude it from sale or delete it. After its first sale you can do neither: it may be sold again, to any number of buyers, for as long as you have an account.

You can pause uploads, export everything held about you, and delete your account. If you delete it, your sold traces are not sold or delivered again, and their content is deleted here. We tell each buyer to delete its copies, and a page that you get shows how many buyers were told and when they confirmed the deletion. Buyers agree to this, but we cannot delete a copy that is not ours, and a model that was trained stays as it is.

We tell buyers the same when we withdraw a trace, for example because something in it was not redacted.

## What you earn

When traces of yours are sold, you get a share of the price.${showsSponsors ? ' When the client shows advertising in your terminal, you get a share of what the sponsors pay for it.' : ''} Your earnings page shows each entry, and what can be paid out. Payouts go to approved contributors. They are made by hand. There is no fixed date. If you delete your account, what was not paid out is lost.

## Who may take part

You can upload if you live in a country where uploads are open (at first only the United States) and we approved your application. We may pause an account that uploads what these terms do not allow.

## No warranty

The service is provided as is. Estimated values are not an offer to pay.

## Changes of these terms

If these terms change, you are asked to accept them again before your next upload.`
