#!/usr/bin/env node
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { main } from './main.ts'

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  fetch,
  key: () => randomUUID(),
  out: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
  async wait(ms) {
    await setTimeout(ms)
  },
})
