/** A short text to post. */
export interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** The head of the response to a post. */
export interface Answered {
  readonly status: number
  /** True for a 2xx status. */
  readonly ok: boolean
  /** `get` accepts names in lower case. */
  readonly headers: Pick<Headers, "get">
}
