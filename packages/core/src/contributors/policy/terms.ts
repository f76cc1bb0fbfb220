/**
 * The terms as they stand when the operator gives none of their own: what this software does, in plain words.
 * Without sponsor lines they name none. Paragraphs are divided by empty lines; one that starts with `## ` is a heading.
 */
export const defaultTerms = (
  showsSponsors: boolean,
): string => `These terms say what happens with the conversations you upload here. Read them before you accept: it takes two minutes.

## What you give

You upload conversations between yourself and AI tools. Upload only what is yours to give: not your employer's secrets, not other people's private words, nothing that a contract or the law forbids you to share.

You let us keep them, clean them, group them into data sets, and sell copies of them to others, who may train and test AI models with them.

## What we take out first

Your upload waits, encrypted, until a program has processed it, and is deleted then; if processing fails, after 24 hours, or earlier if you delete it. Before the program stores a conversation, it replaces what it recognizes as passwords, keys, e-mail addresses, phone numbers, card numbers and the like with placeholders. It also replaces what you told us about yourself (your account's e-mail address, your contact details, the name and websites of your company), what it recognizes as accounts and names of those who wrote a conversation, and the words on your list of blocked terms.

It does not recognize every name of other people in running text, descriptions that give somebody away without a name, or pictures of text. It is careful, but no such program finds everything. If something must not leave your machine, do not upload it.

When you change these details or your list, or when the program learns to find more, conversations that were not sold are processed again. Those that were sold are processed again only on their way to a buyer.

## What stays in your hands

You can see each conversation as we keep it and download it. Until it is sold for the first time, you can also exclude it from sale or delete it. After its first sale you can do neither: it may be sold again, to any number of buyers, for as long as you have an account. A copy that was sold cannot be called back.

You can pause uploads, export everything held about you, and erase your account. Conversations that were sold then stay with those who bought them, no longer linked to your account, and are sold to nobody else.

## What you earn

When conversations of yours are sold, you get a share of the price${showsSponsors ? ', and when your devices show sponsor lines, you get a share of what the sponsors pay' : ''}. Your earnings page shows each entry, and what can be paid out. If you erase your account, what was not paid out is lost.

## Who may take part

Uploads are open to residents of some countries only, at first the United States, whose application was approved. We may pause an account that uploads what these terms do not allow.

## What we do not promise

The service comes as it is. Estimates of value are estimates: they are not an offer to pay. If these terms change, you are asked again before your next upload.`
