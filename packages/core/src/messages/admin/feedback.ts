/** The feedback of the operators' pages. */
export const adminFeedbackMessages = {
  'feedback.none': 'No feedback yet.',
  'feedback.message': 'Message',
  'feedback.from': 'From',
  'feedback.reply': 'Reply',
  'feedback.replyTo': 'Reply to {email}',
  'feedback.client': 'Client',
  'feedback.received': 'Received',
} as const
