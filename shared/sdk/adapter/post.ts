/** A short text that is posted. */
export interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** The head of the answer to a post. */
export interface Answered {
  readonly status: number
  /** The status is 2xx. */
  readonly ok: boolean
  /** `get` takes a name in lower case. */
  readonly headers: Pick<Headers, "get">
}
