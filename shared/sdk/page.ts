/**
 * Answers a browser, or a service that sends one here: an OAuth callback, a small form. The request has no `Authorization` and no
 * `Cookie`. What it throws is a 500 without its text.
 */
export type PageHandler = (request: Request) => Response | Promise<Response>

/** A page that a plugin publishes. */
export interface PluginPage {
  /** Below `/pages/<plugin>`, exactly as the address has it: `/callback`. */
  readonly path: string
  readonly handle: PageHandler
}

/** What a path of a page is, as a regular expression source: plain segments, or `/` alone. */
export const pagePattern = "^(/|(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,8})$"
