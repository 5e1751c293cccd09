import {once} from "node:events"
import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  Server,
  ServerResponse,
  STATUS_CODES,
} from "node:http"
import {dirname, resolve} from "node:path"
import {pathToFileURL} from "node:url"
import {isProblem} from "../../../shared/problems.ts"
import {keepHeapSmall} from "../flow/heap.ts"
import {oncePer} from "../flow/remember.ts"
import {
  type BundleOptions,
  bundleProblem,
  explainListenError,
  type FixedAnswer,
  failedToAnswer,
  limits,
  noRoom,
  type Runtime,
  type ServeOptions,
} from "../runtime.ts"
import {Connections} from "../sockets/connections.ts"
import type {FetchOnNode} from "../sockets/fetch-on-node.ts"
import {createTargetCheck} from "../sockets/target.ts"
import {inlineSourceMap} from "../source-map.ts"
import {buildInService, esbuildIssues} from "./esbuild.ts"
import {pluginBuild} from "./plugin-build.ts"

const isWebSocket = (request: IncomingMessage) => request.headers.upgrade?.toLowerCase() === "websocket"

const serve = async (options: ServeOptions) => {
  const http = new Server({
    maxHeaderSize: limits.headers,
    headersTimeout: limits.headersTimeout,
    // Requests that are no upload get less time: see `limitArrival`.
    requestTimeout: limits.checkpointTimeout,
    // By default, Node checks both limits only every 30 s.
    connectionsCheckingInterval: 5000,
    // The check below refuses a missing Host as a problem.
    requireHostHeader: false,
    shouldUpgradeCallback: isWebSocket,
  })
  const connections = new Connections(http, options.connections, () => rawAnswer(options.refuse(noRoom())))
  const check = createCheck(options)
  const fetch = createLateFetch(options)
  answerRequests(http, options.fixed, check, connections, fetch)
  limitArrival(http, options.uploads ?? [])
  http.on("upgrade", (request, socket, head) => {
    // A client that resets the connection raises an error here that nothing else handles.
    socket.on("error", () => {})
    if (!isWebSocket(request)) return answerWithoutUpgrade(http, request, socket as never)
    const refusal = check(request)
    if (refusal !== undefined) return void socket.end(rawAnswer(refusal))
    connections.leave(socket as never)
    fetch.use(
      ({upgrade}) => (http.listening ? upgrade(request, socket, head) : socket.destroy()),
      failure => socket.end(rawAnswer(failure)),
    )
  })
  http.listen({host: options.host, port: options.port, exclusive: true})
  await once(http, "listening").catch(error => explainListenError(error, options.host, options.port))
  const address = http.address()
  return {
    host: options.host,
    port: typeof address === "object" && address !== null ? address.port : options.port,
    close: async (force: boolean) => {
      fetch.ifLoaded()?.leave()
      // A stalled WebSocket client would block the close forever.
      const cut = setTimeout(() => fetch.ifLoaded()?.cut(), 1000)
      if (force) http.closeAllConnections()
      await new Promise(done => http.close(done)).finally(() => clearTimeout(cut))
    },
  }
}

const loadFetch = () => import("../sockets/fetch-on-node.ts")

/** What answers by functions of Fetch. It is loaded late: undici, which it needs, takes a sixth of a start's time. */
const createLateFetch = (options: ServeOptions) => {
  let loaded: FetchOnNode | undefined
  const load = async () => {
    const {createFetchOnNode} = await loadFetch()
    loaded ??= createFetchOnNode(options)
    return loaded
  }
  return {
    ifLoaded: () => loaded,
    /** Calls `use`, at once if it is loaded; or `fail` with an answer if it cannot be loaded. */
    use: (use: (fetch: FetchOnNode) => void, fail: (answer: FixedAnswer) => void): void => {
      if (loaded === undefined) load().then(use, cause => fail(options.refuse(failedToAnswer(cause))))
      else use(loaded)
    },
  }
}

/** Longer than the pipeline's own limit, so that the pipeline answers first; in milliseconds. */
const arrival = limits.requestTimeout + 5000

/** How long an upload may continue after it was answered, in milliseconds. */
const unread = 10_000

/** Ends the connection of an endless body. Node has one limit for all requests, and uploads may take longer. */
const limitArrival = (http: Server, uploads: readonly string[]) =>
  http.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const {headers, socket, url = ""} = request
    if (headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0") return
    let limit: NodeJS.Timeout | undefined
    const begin = (time: number) => {
      limit = setTimeout(() => socket.destroy(), time)
    }
    if (uploads.includes(url.split("?", 1)[0] ?? "")) response.once("finish", () => request.complete || begin(unread))
    else begin(arrival)
    const end = () => clearTimeout(limit)
    request.once("end", end).once("close", end)
  })

const answerRequests = (
  http: Server,
  fixed: ServeOptions["fixed"],
  check: Check,
  connections: Connections,
  fetch: ReturnType<typeof createLateFetch>,
) => {
  const find = createFixed(fixed)
  const write = ({method}: IncomingMessage, response: ServerResponse, answer: FixedAnswer) => {
    const {status, body, requestId} = answer
    const head = headOf(answer)
    response.writeHead(status, requestId === undefined ? head : {...head, "x-request-id": requestId()})
    response.end(method === "HEAD" ? undefined : body)
  }
  const answerNow = (request: IncomingMessage, response: ServerResponse): boolean => {
    const answer = check(request) ?? find(request)
    if (answer !== undefined) write(request, response, answer)
    return answer !== undefined
  }
  const answer: RequestListener = (request, response) =>
    fetch.use(
      ({answer}) => {
        if (!response.destroyed) answer(request, response)
      },
      failure => write(request, response, failure),
    )
  http.on("request", (request, response) => connections.answerInTurn(request, response, answerNow, answer))
}

const createFixed = (fixed: ServeOptions["fixed"]) => {
  const answers = new Map(Object.entries(fixed))
  return ({url = "", method, headers, rawHeaders}: IncomingMessage): FixedAnswer | undefined => {
    const answer = answers.get(url)
    if (answer === undefined || (method !== "GET" && method !== "HEAD")) return undefined
    if (typeof answer !== "function") return answer
    return headers.origin === undefined ? answer(fieldOf(rawHeaders, "authorization") ?? null) : undefined
  }
}

/** Probes get the same answers again and again. */
const headOf = oncePer(({status, headers, body}: FixedAnswer): OutgoingHttpHeaders => {
  const length = status === 204 ? {} : {"content-length": String(Buffer.byteLength(body))}
  return {...headers, ...length}
})

type Check = (request: IncomingMessage) => FixedAnswer | undefined

/** `OPTIONS *` asks about the server as a whole (RFC 9110, 9.3.7); no other method has that target. */
const serverOptions: FixedAnswer = {status: 204, headers: {allow: "GET, HEAD, POST, PUT, DELETE, OPTIONS"}, body: ""}

const createCheck = ({refuse}: ServeOptions): Check => {
  const flawOf = createTargetCheck()
  return ({url = "", method, rawHeaders, httpVersion}) => {
    const isServer = url === "*" && method === "OPTIONS"
    const needsHost = httpVersion !== "1.0"
    const flaw = flawOf({url: isServer ? "/" : url, host: fieldOf(rawHeaders, "host"), needsHost})
    if (flaw !== undefined) return refuse(flaw)
    return isServer ? serverOptions : undefined
  }
}

/** Joins several headers of a name; Node would keep the first. */
const fieldOf = (rawHeaders: readonly string[], wanted: string): string | undefined => {
  let value: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    if (name.length !== wanted.length || name.toLowerCase() !== wanted) continue
    value = value === undefined ? rawHeaders[index + 1] : `${value},${rawHeaders[index + 1]}`
  }
  return value
}

/** The bytes of an answer after which the connection closes. */
const rawAnswer = ({status, headers, body}: FixedAnswer): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n")

/** Answers an upgrade to something other than WebSocket (curl offers h2c) as a plain request. */
const answerWithoutUpgrade = (http: Server, request: IncomingMessage, socket: import("node:net").Socket) => {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.on("finish", () => {
    response.detachSocket(socket)
    socket.end()
  })
  http.emit("request", request, response)
}

const bundle = async ({entry, project, externals}: BundleOptions) => {
  try {
    const built = await buildInService(dirname(entry), {
      entryPoints: [entry],
      outfile: `${entry}.mjs`,
      absWorkingDir: project,
      ...pluginBuild,
      sourcemap: "external",
      plugins: [
        {
          name: "externals",
          setup: plugins =>
            plugins.onResolve({filter: /^svc-runtime/}, ({path}) => ({
              path: specifier(externals[path] ?? path),
              external: true,
            })),
        },
      ],
    })
    const files = Object.keys(built.metafile.inputs).map(file => resolve(project, file))
    const [map, output] = built.outputFiles
    return {code: inlineSourceMap(output?.text ?? "", map?.text ?? "", dirname(entry)), files}
  } catch (error) {
    throw isProblem(error, "compiler_missing") ? error : bundleProblem(entry, esbuildIssues(error), error)
  }
}

const specifier = (path: string) => (path.startsWith("/") ? pathToFileURL(path).href : path)

/** The Node runtime: srvx's requests, esbuild, and the ES module loader. */
export const node: Runtime = {
  name: "node",
  version: process.versions.node,
  serve,
  prepare: async () => void (await loadFetch()),
  bundle,
  load: path => {
    process.setSourceMapsEnabled(true)
    return import(pathToFileURL(path).href)
  },
  unload: () => {},
  startWith: async () => {},
  saveMemory: keepHeapSmall,
}
