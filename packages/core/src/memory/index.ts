export { MemoryTraces, verdict, type Put } from './traces.ts'
