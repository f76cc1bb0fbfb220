/** A reply as a client of the host sees it. */
export interface HostReply {
  readonly status: number
  /** Names in lower case, in the order sent. `set-cookie` occurs once for each cookie. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** A host that serves the given service, and a client of that host. */
export interface HostUnderTest {
  /**
   * Sends a request. `target` is path and query as a client would write them. Header names keep their case, and
   * repeated headers are sent repeatedly. A body of several parts is sent in chunks without a `content-length`, if the
   * host supports that.
   */
  request(
    method: string,
    target: string,
    headers?: readonly (readonly [string, string])[],
    body?: readonly Uint8Array[],
  ): Promise<HostReply>
  close(): Promise<void>
}

/** Reads a body as text. */
export const decodeText = (body: Uint8Array): string => new TextDecoder().decode(body)
/** Returns every value of a header of a reply. */
export const listValues = ({ headers }: HostReply, name: string): string[] =>
  headers.filter(([key]) => key === name).map(([, value]) => value)
