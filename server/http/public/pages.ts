import {type Asked, serve} from "../../../shared/api/operations/operation.ts"
import {pageOperations} from "../../../shared/api/operations/public.ts"
import {pluginPath} from "../../../shared/ids.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Call, isResponse} from "../../../shared/route.ts"
import type {TokenBucket, TokenBucketLimits} from "../../../shared/sdk/adapter/token-bucket.ts"
import type {Generation} from "../../generation/generation.ts"
import type {PublishedPage} from "../../generation/kinds/page.ts"
import {ownCookies, settingCookies} from "./cookies.ts"
import {answerFile, toFolder} from "./page-files.ts"
import {type AddressRate, take} from "./rate.ts"

/** The limit of one plugin's pages together: the burst, and then one request per `interval` milliseconds. */
const ofPlugin: TokenBucketLimits = {burst: 300, interval: 100}

/** The page gets an opaque origin: it cannot read the console, and its scripts have no storage and read no cookies. */
const sandbox = "sandbox allow-forms allow-scripts"

/** Unless the page says who may frame it, nobody may. */
const unframed = `${sandbox}; frame-ancestors 'none'`

const saysWhoFrames = /(?:^|[;,])\s*frame-ancestors(?![\w-])/i

/** The headers that a page may set. Headers for the whole origin are not among them. */
const allowed = `cache-control content-disposition content-language content-type etag last-modified location
  retry-after vary accept-ranges content-range`.split(/\s+/)

/** Headers that are removed before a page sees the request: tokens, and cookies that are not its plugin's. */
const withheld = ["authorization", "cookie", "proxy-authorization"]

/** The public pages of plugins, as the configuration lists them: without a token, limited by address and by plugin. */
export class Pages {
  readonly #current: () => Generation
  readonly #addresses: AddressRate
  readonly #plugins = new Map<string, TokenBucket>()

  constructor(current: () => Generation, addresses: AddressRate) {
    this.#current = current
    this.#addresses = addresses
  }

  routes() {
    const show = ({request, call}: Asked<typeof pageOperations.get>) => answer(this.#find(call), request, call)
    return serve(pageOperations, {get: show, post: show}, {limit: (call, address) => this.#limit(call, address)})
  }

  #find({params}: Call): PublishedPage {
    const owner = pluginPath(params.plugin ?? "")
    const path = `/${params["*"] ?? ""}`
    const own = this.#current().snapshot.pages.filter(({instance}) => instance.path === owner)
    const folders = own.filter(page => "files" in page && path.startsWith(inFolder(page.path)))
    const [deepest] = folders.sort((one, other) => other.path.length - one.path.length)
    const found = own.find(page => page.path === path) ?? deepest
    if (found === undefined) throw new Problem("not_found", "there is no such page")
    return found
  }

  /** Counts requests for missing pages too: an address may probe for pages. Throws `too_many_requests`, `not_found`. */
  #limit(call: Call, address: string): void {
    this.#addresses.take(address)
    const {instance} = this.#find(call)
    take(this.#plugins, instance.name, ofPlugin)
  }
}

const inFolder = (path: string): string => (path === "/" ? path : `${path}/`)

const answer = (found: PublishedPage, request: Request, {requestId, params}: Call): Response | Promise<Response> => {
  const rest = params["*"] ?? ""
  if ("handle" in found) return answerHandler(found, request, requestId, rest)
  const isFolder = found.path === `/${rest}` && found.path !== "/"
  const given = isFolder
    ? toFolder(request.url)
    : answerFile(found.files, `/${rest}`.slice(inFolder(found.path).length), request)
  return new Response(given.body, {status: given.status, headers: headersOf(given, requestId)})
}

const answerHandler = async (
  {instance, path, handle}: Extract<PublishedPage, {readonly handle: unknown}>,
  request: Request,
  requestId: string,
  rest: string,
): Promise<Response> => {
  const {url, method, signal} = request
  const asked = new Headers(request.headers)
  for (const name of withheld) asked.delete(name)
  const own = ownCookies(request.headers.get("cookie"), instance.name)
  if (own !== undefined) asked.set("cookie", own)
  const body = request.body === null ? null : await request.arrayBuffer()
  const run = () => handle(new Request(url, {method, headers: asked, signal, body}))
  const given: unknown = await instance.run(run, {requestId}, `${instance.path}/page${path}`)
  if (!isResponse(given)) throw new Problem("internal", "the page returned no Response")
  const at = new URL(url)
  const folder = at.pathname.slice(0, at.pathname.length - rest.length)
  const headers = headersOf(given, requestId)
  for (const cookie of settingCookies(given.headers, instance.name, {url: at, folder}))
    headers.append("set-cookie", cookie)
  return new Response(instance.answer(given, {requestId}).body, {status: given.status, headers})
}

/** Multiple policies all apply: a page's own policy can only forbid more. */
const headersOf = ({headers: given, body}: Response, requestId: string): Headers => {
  const headers = new Headers({"cache-control": "no-store"})
  for (const name of allowed) {
    const value = given.get(name)
    if (value !== null) headers.set(name, value)
  }
  // Bun sets no type for a text Response; Node does.
  if (body !== null && !headers.has("content-type")) headers.set("content-type", "text/plain;charset=UTF-8")
  const own = given.get("content-security-policy")
  const policy = saysWhoFrames.test(own ?? "") ? sandbox : unframed
  headers.set("content-security-policy", own === null ? policy : `${policy}, ${own}`)
  headers.set("referrer-policy", "no-referrer")
  headers.set("x-content-type-options", "nosniff")
  headers.set("x-request-id", requestId)
  return headers
}
