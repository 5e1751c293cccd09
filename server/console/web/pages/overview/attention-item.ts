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
  /** By which state its list shows it and nothing else. */
  readonly state?: string
  /** The plugin that can be disabled for it. */
  readonly disable?: string
}
