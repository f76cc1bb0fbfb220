import type { RuleTable } from '../engine/rule.ts'
import { PERSON, USER } from './categories.ts'

/** Rules for accounts and authors in home directories, prompts, logs of logins, trailers and fields for user names. */
export const userRules: RuleTable = {
  defaults: USER,
  rows: {
    'home': ['/home/|/media/|/users/|\\users\\|\\home\\|\\documents and settings\\', 'home', { own: true }],
    'account': ['user=|username=|logname=|sudo_user=', 'account', { own: true }],
    'author': [
      `author:|authored-by:|signed-off-by:|committer:|commit:|reviewed-by:|acked-by:|tested-by:|reported-by:|
      author |committer |tagger |tagger:|from:`,
      'author',
      PERSON,
    ],
    'unix-id': ['uid=|gid=', /[ug]id=\d{1,10}\(([a-z_][\w.-]{1,31})(?=\))/y, { own: true, finder: 'owner' }],
    'file-owner': [
      'drwx|drw-|dr-x|-rw-|-rwx|-r--|-r-x|lrwx|srwx',
      /[dlsbcp-](?:[r-][w-][xsStT-]){3}[.+@]? {1,6}(?:\d{1,6} {1,8}([a-z_][\w.-]{1,31})(?= )|([a-z_][\w.-]{1,31})(?=\/[a-z_][\w.-]{0,31} ))/y,
      { own: true, inside: true, finder: 'owner' },
    ],
    'whoami': [
      'whoami',
      /whoami(?: --?[^\n\\]{1,100})?(?:(?:\\{1,4}n|\r?\n)[A-Z]\w{1,15} CLI [\d.]{1,12})?(?:(?:\\{1,4}n|\r?\n)(?:[+ -]|> |➤ YN0000: )?|\r?\n[A-Za-z][\w-]{1,19}\\)([a-z_][\w.-]{1,31})(?=\s|$|\\(?![a-mo-qs-z])|["'])/y,
      { own: true, finder: 'owner' },
    ],
    'user-field': [
      `username|login:|user name|user_name|userid|user id|user_id|login name|screen name|nickname|skype|
      twitter handle|instagram handle|github handle|telegram handle|discord handle`,
      /(?:user(?:[ _]?(?:name|id))?|(?:login|screen) name|login|nickname|skype(?: id| name)?|(?:twitter|instagram|github|telegram|discord) handle)\\{0,3}["']?(?: is)?\s{0,2}[:=]?\s{1,2}\\{0,3}["'`]?@?((?:live:)?[A-Za-z][\w.-]{2,31})(?![\w(@/[…-]|\\[^nrt"\\])/iy,
      { finder: 'userField' },
    ],
    'profile-page': [
      'linkedin.com/in/|facebook.com/profile.php?id=|t.me/|instagram.com/|wa.me/',
      /(?:linkedin\.com\/in\/([\w%-]{3,80})|facebook\.com\/profile\.php\?id=(\d{6,20})|wa\.me\/(\d{8,15})|(?<=\/\/)t\.me\/(?!joinchat|share|addstickers|s\/|\w*[bB]ot(?:[fF]ather)?(?!\w))([A-Za-z]\w{4,31})(?![\w/])|instagram\.com\/(?!p\/|explore|reels?\/|stories|accounts)([\w.]{3,30}))/y,
      { inside: true },
    ],
    'key-comment': [
      'ssh-rsa aaaa|ssh-ed25519 aaaa|ssh-dss aaaa|ecdsa-sha2-nistp',
      /(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d{3}) AAAA[A-Za-z0-9+/]{20,1600}={0,3} ([A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9][\w.-]{1,63})/y,
      { own: true },
    ],
    'login-log': [
      `accepted p|accepted k|invalid user |password for |session opened for user |session closed for user |sudo: |
      su: `,
      /(?:Accepted (?:password|publickey|keyboard-interactive\/pam) for|[Ii]nvalid user|Failed password for(?: invalid user)?|(?<![eE]nter )[Pp]assword for|session (?:opened|closed) for user|sudo:|su:) {1,6}([a-z_][\w.-]{1,31})(?= from | :|\(uid=| by |:)/y,
      { finder: 'owner' },
    ],
    'ssh-user': [
      'ssh |scp |rsync |sftp |mosh |sftp:',
      /(?:(?:ssh|scp|rsync|sftp|mosh) (?:[^\n|;&@]{0,100}? )?|sftp:)([a-z_][\w.-]{1,31})(?=@(?!(?:host|hostname|server|example|ip|remote)\b)[\w.[])/y,
      { finder: 'owner' },
    ],
    'prompt': ['@', 'prompt', { own: true, next: 'alnum' }],
  },
}
