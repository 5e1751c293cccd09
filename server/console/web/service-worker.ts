/**
 * Caches the console's own files, so that the page can reload while its Host is down. It handles only these files: it
 * caches no answers of the API, and no request to the API passes through it.
 */

/** The parts of a service worker's scope that this file uses; the types of a page lack them. */
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

/** The build inserts the names of the files below the console's folder, and a hash of all files. */
declare const consoleFiles: readonly string[]
declare const consoleVersion: string

const scope = self as unknown as Scope
const home = scope.registration.scope

/** Several Hosts may share one origin, and so its caches. */
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

/** A gateway answers with these while the Host does not answer. */
const isAway = ({status}: Response): boolean => status >= 502 && status <= 504

/** Returns the Host's newest page; the cached one while the Host does not answer. */
const answerPage = async (request: Request): Promise<Response> => {
  const answer = await fetch(request).catch(() => undefined)
  if (answer !== undefined && !isAway(answer)) return answer
  return (await caches.match(home, {cacheName, ignoreVary: true})) ?? answer ?? Response.error()
}

/** The names of all other files change with their content, so the cached file is current. */
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
