import { rememberWords } from '../../engine/remember.ts'
import { AUTOMATION } from '../../rules/nobody.ts'

/** Returns whether a name belongs to a program or a role, or is a sample name in manuals. */
export const isAutomation = rememberWords((name) => AUTOMATION.test(name.trim()))
