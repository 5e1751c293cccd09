/**
 * Responds to a browser, or to a service that sends a browser here: an OAuth callback, a small form. The request has no
 * `Authorization` and no `Cookie` header. An error becomes a 500 response without the error's text.
 */
export type PageHandler = (request: Request) => Response | Promise<Response>

/** A page that a plugin publishes. */
export interface PluginPage {
  /** The path below `/pages/<plugin>`, exactly as in the URL: `/callback`. */
  readonly path: string
  readonly handle: PageHandler
}

/** The pattern of page paths, as a regular expression source: plain segments, or only `/`. */
export const pagePattern = "^(/|(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,8})$"
