export { start } from '../start.ts'
export { contributorJourney, contributorProgress, contributorWaiting } from '../../contributors/policy/handlers.ts'
