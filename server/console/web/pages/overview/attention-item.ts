/** One item that needs attention: what, why, what to do, and where. */
export interface Attention {
  readonly tone: "bad" | "warn"
  readonly title: string
  readonly why: string
  readonly remedy: string
  readonly command?: string
  /** The page that shows it. */
  readonly page?: string
  /** The item on that page. */
  readonly part?: string
  /** The state filter that shows exactly these. */
  readonly state?: string
  /** The plugin that the user can disable. */
  readonly disable?: string
}
