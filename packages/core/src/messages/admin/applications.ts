/** The applications of the operators' pages. */
export const applicationsMessages = {
  'applications.notReviewed': 'The application was not reviewed. Correct the marked field.',
  'applications.noneWaiting': 'No application is waiting for a review.',
  'applications.none': 'No applications.',
  'applications.review': 'Review',
  'applications.reason': 'Reason',
  'applications.toReject': '(to reject)',
  'applications.approve': 'Approve',
  'applications.approveOne': 'Approve {name}',
  'applications.reject': 'Reject',
  'applications.rejectOne': 'Reject {name}',
  'applications.enterReason': 'Enter a reason. The applicant sees it.',
  'applications.tooLong': 'Enter up to 2,000 characters.',
  'applications.approved': 'Application approved. The contributor can upload now.',
  'applications.rejected': 'Application rejected. The applicant sees your reason and can apply again.',
  'applications.already': 'This application was already reviewed; nothing was changed.',
  'applications.notFound': 'Application not found.',
} as const
