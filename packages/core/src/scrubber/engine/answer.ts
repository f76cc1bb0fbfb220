import type { View } from './decode.ts'

/**
 * The words for the requested value in a question: `What is the database password?`, `Which API key should I use?`,
 * `Enter your PIN.`
 */
const ASKED =
  /(?:\b(?:your|the|my|an?|which|what) |^|[.:] )((?:[\w-]{2,20} ){0,3}?[\w-]{2,20})(?= (?:for|to|should|do|shall|please|that|is|can|in|on)\b|\s{0,2}[?.:=]|$)/gi
const IS_QUESTION = /[?？]|\b(?:please|enter|send|share|provide|give|need|tell)\b|(?:[:=]| is)\s*$/i
/** The words before the value in an answer. */
const OPENING =
  /^(?:\s*(?:sure|ok(?:ay)?|yes|yep|here|it['’]?s|it is|that['’]?s|use|try|you go|the \w{1,16} is|my (?:\w{1,16} ){1,3}is)\b[\s,:.!-]*)+/i
const IS_SECRET = /pass|secret|token|key|credential|pin\b/i
/** An answer without a secret: only words, a sentence, or a UUID. */
const IS_SENTENCE = /^[\p{L}'’ ]+[.!]?$|\S\s+\S|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu
const LONGEST_ANSWER = 400
const LONGEST_QUESTION = 240
const MOST_LABELS = 4

const NONE: readonly View[] = []

/**
 * Returns views that join a label from a question with the value from the answer. Only a short text may be an answer.
 * @param isLabel returns whether a rule has a keyword in a label: true for `the database password: `, false for `the
 * first file: `.
 */
export function answerViews(question: string, answer: string, isLabel: (lead: string) => boolean): readonly View[] {
  if (answer.length > LONGEST_ANSWER || answer.length < 3) return NONE
  const tail = question.slice(-LONGEST_QUESTION)
  if (!IS_QUESTION.test(tail)) return NONE
  const leads = [...tail.matchAll(ASKED)].map(([, label]) => `${label}: `).slice(-MOST_LABELS)
  const labels = leads.filter(isLabel)
  if (labels.length === 0) return NONE
  const from = OPENING.exec(answer)?.[0].length ?? 0
  const isSentence = IS_SENTENCE.test(answer.slice(from).trim())
  return [...new Set(labels.filter((lead) => !isSentence || !IS_SECRET.test(lead)))].map((lead) => {
    const place = (at: number): number => Math.max(0, at - lead.length + from)
    const text = lead + answer.slice(from)
    return { text, sure: [lead.length, text.length], start: place, end: place }
  })
}
