/**
 * Responds to a browser, or to a service that sends a browser here: an OAuth callback, a small form. The request has no
 * `Authorization` header, and of the cookies only those that the plugin's own pages have set. An error becomes a 500 response without the error's text.
 */
export type PageHandler = (request: Request) => Response | Promise<Response>

/** A folder of files for browsers. */
export interface PageFolder {
  /**
   * The folder's path below the project, or below the npm package of the plugin. svc reads all its files with each
   * generation: at most 1,000 of 16 MiB together, without links, and without names that begin with a dot.
   */
  readonly folder: string
}

/** A page that a plugin publishes. */
export interface PluginPage {
  /** The path below `/pages/<plugin>`: exactly as in the URL, or for a folder, what is in front of its files' paths. */
  readonly path: string
  readonly shown: PageHandler | PageFolder
}

/** The pattern of page paths, as a regular expression source: plain segments, or only `/`. */
export const pagePattern = "^(/|(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,8})$"
