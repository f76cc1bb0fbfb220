import { isRead } from '@tributary/core/libsql'
import Database from 'libsql'
import { decode, encode, toHranaError, HranaError, type Ask, type Cond, type Stmt } from './proto.ts'

/**
 * Connections to one file. A closed connection keeps its descriptors until garbage collection, so connections are
 * reused.
 */
export class Pool {
  readonly #path: string
  readonly #isDurable: boolean
  readonly #idle: Database.Database[] = []

  /** A commit waits for the disk only if `isDurable` is true. */
  constructor(path: string, isDurable: boolean) {
    this.#path = path
    this.#isDurable = isDurable
  }

  take(): Database.Database {
    return this.#idle.pop() ?? this.#open()
  }

  #open(): Database.Database {
    // The driver must not wait for a lock, because it would block the server, and so also the stream that has the lock.
    const db = new Database(this.#path, { timeout: 0 } as Database.Options)
    if (!this.#isDurable) db.exec('pragma synchronous = off')
    return db
  }

  give(db: Database.Database): void {
    if (db.inTransaction) db.exec('rollback')
    this.#idle.push(db)
  }

  close(): void {
    for (const db of this.#idle.splice(0)) db.close()
  }
}

/** One stream of Hrana: a connection with its own transaction and its own stored texts. */
export class Stream {
  readonly #pool: Pool
  readonly #lockMs: number
  readonly #texts = new Map<number, string>()
  #db: Database.Database
  // Whether a statement of the connection failed with SQLITE_BUSY. The driver never resets such a statement, so later
  // writes would be lost.
  #spoilt = false

  constructor(pool: Pool, lockMs: number) {
    this.#pool = pool
    this.#lockMs = lockMs
    this.#db = pool.take()
  }

  async answer(ask: Ask): Promise<object> {
    try {
      return { type: 'ok', response: { type: ask.type, ...(await this.#respond(ask)) } }
    } catch (error) {
      const { message, code } = toHranaError(error)
      return { type: 'error', error: { message, code } }
    }
  }

  /** Rolls back an open transaction. */
  close(): void {
    if (this.#spoilt) this.#db.close()
    else this.#pool.give(this.#db)
  }

  async #respond(ask: Ask): Promise<object> {
    if (ask.type === 'execute') return { result: await this.#execute(ask.stmt) }
    if (ask.type === 'batch') return { result: await this.#batch(ask.batch.steps) }
    if (ask.type === 'describe') return { result: this.#describe(this.#text(ask)) }
    if (ask.type === 'get_autocommit') return { is_autocommit: !this.#db.inTransaction }
    if (ask.type === 'sequence') await this.#patient(() => this.#db.exec(this.#text(ask)))
    else if (ask.type === 'store_sql') this.#texts.set(ask.sql_id, ask.sql)
    else if (ask.type === 'close_sql') this.#texts.delete(ask.sql_id)
    else if (ask.type !== 'close') throw new HranaError(`unknown request`, 'PROTO_ERROR')
    return {}
  }

  #text({ sql, sql_id: id }: { sql?: string; sql_id?: number }): string {
    const text = sql ?? (id === undefined ? undefined : this.#texts.get(id))
    if (text === undefined) throw new HranaError(`SQL text ${id} was not stored`, 'SQL_NOT_FOUND')
    return text
  }

  async #execute(stmt: Stmt): Promise<object> {
    const sql = this.#text(stmt)
    // A statement object that failed with SQLITE_BUSY makes its connection unusable. `exec` leaves no statement object.
    if (/^\s*(?:begin|commit|end|rollback)\b/i.test(sql)) {
      await this.#patient(() => this.#db.exec(sql))
      return { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null }
    }
    const named = stmt.named_args ?? []
    const args = named.length
      ? Object.fromEntries(named.map(({ name, value }) => [name.replace(/^[:@$]/, ''), decode(value)]))
      : (stmt.args ?? []).map(decode)
    return this.#patient(() => this.#run(sql, args, stmt.want_rows ?? true), true)
  }

  #run(sql: string, args: unknown, wanted: boolean): object {
    const statement = this.#db.prepare(sql)
    statement.safeIntegers(true)
    if (!(statement as unknown as { reader: boolean }).reader) {
      const { changes, lastInsertRowid } = statement.run(args)
      return { cols: [], rows: [], affected_row_count: changes, last_insert_rowid: String(lastInsertRowid) }
    }
    const columns = statement.raw(true).columns() as { name: string; type: string | null }[]
    const rows = statement.all(args) as unknown[][]
    return {
      cols: columns.map(({ name, type }) => ({ name, decltype: type })),
      rows: wanted ? rows.map((row) => row.map(encode)) : [],
      affected_row_count: isRead(sql) ? 0 : (this.#db.prepare('select changes() as n').get([]) as { n: number }).n,
      last_insert_rowid: null,
    }
  }

  async #batch(steps: { condition?: Cond | null; stmt: Stmt }[]): Promise<object> {
    const results: (object | null)[] = []
    const errors: (object | null)[] = []
    const isMet = (cond: Cond): boolean => {
      if (cond.type === 'ok') return results[cond.step] != null
      if (cond.type === 'error') return errors[cond.step] != null
      if (cond.type === 'not') return !isMet(cond.cond)
      if (cond.type === 'is_autocommit') return !this.#db.inTransaction
      return cond.type === 'and' ? cond.conds.every(isMet) : cond.conds.some(isMet)
    }
    for (const { condition, stmt } of steps) {
      let result: object | null = null
      let failure: HranaError | null = null
      if (!condition || isMet(condition)) {
        result = await this.#execute(stmt).catch((error: unknown) => {
          failure = toHranaError(error)
          return null
        })
      }
      results.push(result)
      errors.push(failure && { message: (failure as HranaError).message, code: (failure as HranaError).code })
    }
    return { step_results: results, step_errors: errors }
  }

  #describe(sql: string): object {
    const statement = this.#db.prepare(sql)
    const reads = (statement as unknown as { reader: boolean }).reader
    const columns = reads ? (statement.columns() as { name: string; type: string | null }[]) : []
    // The driver does not report the parameters, so they are found as placeholders outside quoted text.
    const marks = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '').match(/\?\d*|[:@$]\w+/g) ?? []
    return {
      params: marks.map((mark) => ({ name: /^\?$/.test(mark) ? null : mark })),
      cols: columns.map(({ name, type }) => ({ name, decltype: type })),
      is_explain: /^\s*explain\b/i.test(sql),
      is_readonly: isRead(sql),
    }
  }

  /** Waits for a lock without blocking other streams, as a remote server does. */
  async #patient<T>(work: () => T, statement = false): Promise<T> {
    const deadline = performance.now() + this.#lockMs
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (!String((error as { code?: string }).code).startsWith('SQLITE_BUSY')) throw error
        this.#spoilt ||= statement
        if (this.#db.inTransaction || performance.now() > deadline) throw error
      }
      if (this.#spoilt) {
        this.#db.close()
        this.#db = this.#pool.take()
        this.#spoilt = false
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}
