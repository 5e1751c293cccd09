import {serve} from "../../../shared/api/operations/operation.ts"
import {consoleOperations} from "../../../shared/api/operations/public.ts"
import {Problem} from "../../../shared/problems.ts"
import {ConsoleFiles, type Encoding, encodings, serviceWorkerName} from "./files.ts"

/** The origins of other Hosts that this console may switch to. A new generation may change them. */
export type ConsoleHosts = () => readonly string[]

/** The browser application. It is static and needs no token; it asks the user for one. */
export const consoleRoutes = (hosts: ConsoleHosts) => {
  const files = new ConsoleFiles()
  return serve(consoleOperations, {
    page: ({request}) =>
      new URL(request.url).pathname.endsWith("/") ? answer(files, request, "index.html", hosts) : toFolder(),
    file: ({request, params}) => answer(files, request, params["*"] || "index.html", hosts),
  })
}

/** The page refers to its files relative to the folder. */
const toFolder = () => new Response(null, {status: 308, headers: {location: "console/", "cache-control": "no-cache"}})

const answer = async (files: ConsoleFiles, request: Request, name: string, hosts: ConsoleHosts): Promise<Response> => {
  const {files: listed} = await files.listing()
  const file = Object.hasOwn(listed, name) ? listed[name] : undefined
  if (file === undefined) throw new Problem("not_found", "the console has no such file")
  const {headers: asked} = request
  const encoding = chooseEncoding(asked.get("accept-encoding"))
  const etag = `"${file.hash}${encoding === undefined ? "" : `-${encoding}`}"`
  const isPage = name === "index.html"
  const headers = {
    ...always,
    etag,
    "cache-control": isPage || name === serviceWorkerName ? "no-cache" : "public, max-age=31536000, immutable",
    ...(isPage ? {"content-security-policy": policyOf(hosts())} : {}),
  }
  if (isKnown(asked.get("if-none-match"), etag)) return new Response(null, {status: 304, headers})
  const bytes = await files.read(name, encoding)
  return new Response(bytes, {
    headers: {
      ...headers,
      "content-type": file.type,
      "content-length": String(bytes.length),
      ...(encoding === undefined ? {} : {"content-encoding": encoding}),
    },
  })
}

const always = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  vary: "Accept-Encoding",
} as const

/** Allows nothing inline or from elsewhere. Requests may go to this Host, and to those that the configuration names. */
const policyOf = (hosts: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...hosts].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ")

/** The first encoding that the client accepts (RFC 9110, 12.5.3). */
const chooseEncoding = (accepted: string | null): Encoding | undefined => {
  const taken = new Set(
    (accepted ?? "")
      .toLowerCase()
      .split(",")
      .filter(part => !/;\s*q=0(\.0*)?\s*$/.test(part))
      .map(part => part.split(";")[0]?.trim() ?? ""),
  )
  return encodings.find(encoding => taken.has(encoding))
}

/** Returns whether the client has the content with this tag already. */
export const isKnown = (known: string | null, etag: string): boolean =>
  known?.split(",").some(tag => tag.trim().replace(/^W\//, "") === etag) === true
