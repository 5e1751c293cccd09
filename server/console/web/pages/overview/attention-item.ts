export interface InState {
  readonly state: string
  readonly count: number
}

/** One thing that somebody should look at: what, why, what to do, and where. */
export interface Attention {
  readonly tone: "bad" | "warn"
  readonly title: string
  readonly why: string
  readonly remedy: string
  readonly command?: string
  /** The page that shows it. */
  readonly page?: string
  /** What on that page. */
  readonly part?: string
  /** Where they are in a list that has others besides: how many are in each of its states. */
  readonly states?: readonly InState[]
  /** The plugin that can be disabled for it. */
  readonly disable?: string
}
