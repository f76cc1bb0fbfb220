/** The feedback of the operators' pages. */
export const adminFeedbackMessages = {
  'feedback.intro': 'Messages that contributors sent from the command line.',
  'feedback.none': 'No feedback yet.',
  'feedback.message': 'Message',
  'feedback.from': 'From',
  'feedback.reply': 'Reply',
  'feedback.replyTo': 'Reply to {email}',
  'feedback.client': 'Client',
  'feedback.cli': 'CLI {version}',
  'feedback.command': 'Command: {command}',
  'feedback.received': 'Received',
} as const
