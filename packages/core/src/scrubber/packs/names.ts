import { findNames } from '../names/find-names.ts'
import type { RulePack } from './pack.ts'

/** Full names of people in prose, and of companies. */
export const names: RulePack = { findNames }
