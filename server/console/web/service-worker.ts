/**
 * Keeps the console's own files, so that the page can be loaded again while its Host is down. It answers for these files
 * alone: no answer of the API is kept, and no request to it passes through here.
 */

/** What is used of a service worker's scope, which the types of a page do not have. */
interface Scope {
  readonly registration: {readonly scope: string}
  readonly clients: {claim(): Promise<void>}
  addEventListener(
    type: "install" | "activate",
    listener: (event: {waitUntil(work: Promise<unknown>): void}) => void,
  ): void
  addEventListener(
    type: "fetch",
    listener: (event: {readonly request: Request; respondWith(answer: Promise<Response>): void}) => void,
  ): void
}

/** The build puts in the files, by their names below the console's folder, and a hash of them all. */
declare const consoleFiles: readonly string[]
declare const consoleVersion: string

const scope = self as unknown as Scope
const home = scope.registration.scope

/** Several Hosts may stand below one origin, and share its caches. */
const family = `svc-console ${home} `
const cacheName = `${family}${consoleVersion}`
const kept = new Set(["", ...consoleFiles].map(name => `${home}${name}`))

const keepAll = async (): Promise<void> => {
  const cache = await caches.open(cacheName)
  await cache.addAll([...kept])
}

const dropOthers = async (): Promise<void> => {
  const names = await caches.keys()
  await Promise.all(
    names.filter(name => name.startsWith(family) && name !== cacheName).map(name => caches.delete(name)),
  )
  await scope.clients.claim()
}

/** A gateway answers so for a Host that does not answer. */
const isAway = ({status}: Response): boolean => status >= 502 && status <= 504

/** The page is the Host's newest while the Host answers. */
const answerPage = async (request: Request): Promise<Response> => {
  const answer = await fetch(request).catch(() => undefined)
  if (answer !== undefined && !isAway(answer)) return answer
  return (await caches.match(home, {cacheName, ignoreVary: true})) ?? answer ?? Response.error()
}

/** The name of every other file changes with its content. */
const answerFile = async (request: Request): Promise<Response> =>
  (await caches.match(request, {cacheName, ignoreVary: true})) ?? fetch(request)

scope.addEventListener("install", event => event.waitUntil(keepAll()))
scope.addEventListener("activate", event => event.waitUntil(dropOthers()))
scope.addEventListener("fetch", event => {
  const {request} = event
  const [address = ""] = request.url.split(/[?#]/)
  if (request.method !== "GET" || !kept.has(address)) return
  event.respondWith(address === home ? answerPage(request) : answerFile(request))
})
