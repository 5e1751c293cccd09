import http from "node:http"
import {relative, resolve} from "node:path"
import bunAdapter from "crossws/adapters/bun"
import {messageOf} from "../../../shared/problems.ts"
import {oncePer} from "../flow/remember.ts"
import {
  type BundleOptions,
  bundleProblem,
  explainListenError,
  type FixedAnswer,
  failedToAnswer,
  limits,
  noRoom,
  type PeerOf,
  type Runtime,
  type ServeOptions,
} from "../runtime.ts"
import {isStream, streamed} from "../sockets/streamed.ts"
import {createTargetCheck} from "../sockets/target.ts"
import {inlineSourceMap} from "../source-map.ts"

const FetchResponse = globalThis.Response

/** Knows whether its body is a stream. Responses of Bun itself count as responses too. */
globalThis.Response = class Response extends FetchResponse {
  readonly [streamed]: boolean

  constructor(body?: BodyInit | null, init?: ResponseInit) {
    super(body, init)
    this[streamed] = isStream(body)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof FetchResponse
  }
} as typeof FetchResponse

/** The largest message of a WebSocket that a library opens, in bytes. Bun's own class has no limit. */
const largestMessage = 16 * 1024 * 1024

const limitedSocket = () => {
  const {WebSocket: OfPackage}: typeof import("ws") = require("ws")
  return class WebSocket extends OfPackage {
    constructor(url: string | URL, protocols?: string | string[], options?: object) {
      super(url, protocols ?? [], {maxPayload: largestMessage, perMessageDeflate: false, ...options})
    }
  }
}

// Made at its first use: `ws` takes a fiftieth of a start.
const setSocket = (value: unknown) =>
  Object.defineProperty(globalThis, "WebSocket", {value, writable: true, configurable: true})
Object.defineProperty(globalThis, "WebSocket", {
  configurable: true,
  get: () => {
    const made = limitedSocket()
    setSocket(made)
    return made
  },
  set: setSocket,
})

/** Longer than the pipeline's own limit, which answers first. A stream must write more often than this. */
const requestSeconds = limits.requestTimeout / 1000 + 5

/** How long the sender of a body that nobody reads may take to finish it, in seconds. */
const unreadSeconds = 10

const serve = async (options: ServeOptions) => {
  let server: Bun.Server<undefined> | undefined
  // HTTP/1.0 needs no Host header, and without one Bun does not make a URL of the path.
  const arrivals = new WeakMap<Request, Request>()
  const peerOf: PeerOf = request => server?.requestIP(arrivals.get(request) ?? request)?.address ?? ""
  const {upgrade, ...hooks} = options.socket
  const sockets = bunAdapter({hooks: {...hooks, upgrade: request => upgrade(request, peerOf)}, idleTimeout: 60})
  const check = createCheck(options)
  const enter: Enter = (request, bun) => {
    const refusal = check(request) ?? refuseCrowd(options, bun)
    if (refusal !== undefined) return answerFixed(refusal, request.method === "HEAD")
    if (isUpgrade(request)) return sockets.handleUpgrade(request, bun as never) as Promise<Response>
    bun.timeout(request, requestSeconds)
    const answered = options.fetch(withHost(request, arrivals), peerOf)
    return request.method === "GET" || request.method === "HEAD" ? answered : limitUnread(answered, request, bun)
  }
  // The limit for the whole process, otherwise 16 KiB: Bun.serve has no option for it, and Bun's types no setter.
  Reflect.set(http, "maxHeaderSize", limits.headers)
  try {
    const opened = Bun.serve({
      hostname: options.host,
      port: options.port,
      reusePort: false,
      // Cuts a connection whose headers do not end. A request that has arrived gets more time.
      idleTimeout: limits.headersTimeout / 1000,
      // The largest body of any route. Bun leaves in the connection what a route does not read.
      maxRequestBodySize: limits.checkpoint + limits.bodyDropped,
      // In development, Bun answers an error with a page that shows the source, and writes the error to standard error.
      development: false,
      error: cause => answerFixed(options.refuse(failedToAnswer(cause)), false),
      routes: Object.fromEntries(
        Object.entries(options.fixed).map(([path, answer]) => {
          const route = (isHead: boolean) => fixedRoute(answer, check, enter, isHead)
          return [path, {GET: route(false), HEAD: route(true)}]
        }),
      ),
      fetch: enter,
      websocket: {
        ...(sockets.websocket as unknown as Bun.WebSocketHandler<undefined>),
        maxPayloadLength: limits.socketMessage,
        sendPings: true,
        perMessageDeflate: false,
      },
    })
    server = opened
    return {
      host: options.host,
      port: opened.port ?? options.port,
      close: async (force: boolean) => {
        for (const peers of sockets.peers.values()) for (const peer of peers) peer.close(1001, "going away")
        await opened.stop(force)
      },
    }
  } catch (error) {
    return explainListenError(error, options.host, options.port)
  }
}

type Enter = (request: Request, bun: Bun.Server<unknown>) => Response | Promise<Response>

type Check = (request: Request) => FixedAnswer | undefined

/** Checks the target and the Host. Bun itself answers HTTP/1.1 without a Host, and a target `*`, with an empty 400. */
const createCheck = ({refuse}: ServeOptions): Check => {
  const flawOf = createTargetCheck()
  return ({url, headers}) => {
    const flaw = flawOf({url, host: headers.get("host") ?? undefined, needsHost: false})
    return flaw === undefined ? undefined : refuse(flaw)
  }
}

/** Refuses requests when the listener is full. Bun reports requests, not connections; `idleTimeout` ends idle ones. */
const refuseCrowd = ({connections, refuse}: ServeOptions, bun: Bun.Server<unknown>): FixedAnswer | undefined => {
  if (bun.pendingRequests + bun.pendingWebSockets <= connections) return undefined
  const answer = refuse(noRoom())
  return {...answer, headers: {...answer.headers, connection: "close"}}
}

const isUpgrade = ({headers}: Request) => headers.get("upgrade")?.toLowerCase() === "websocket"

const withHost = (request: Request, arrivals: WeakMap<Request, Request>): Request => {
  if (!request.url.startsWith("/")) return request
  const made = new Request(`http://localhost${request.url}`, request)
  arrivals.set(made, request)
  return made
}

/** Shortens the time for a body that a refusal did not wait for: its sender must not hold the connection for long. */
const limitUnread = async (answered: Response | Promise<Response>, request: Request, bun: Bun.Server<unknown>) => {
  const response = await answered
  if (response.status >= 400 && !request.bodyUsed) bun.timeout(request, unreadSeconds)
  return response
}

const fixedRoute = (answer: ServeOptions["fixed"][string], check: Check, enter: Enter, isHead: boolean): Enter => {
  const isChoice = typeof answer === "function"
  return (request, bun) => {
    const {headers} = request
    // The application handles CORS and upgrades.
    if (isChoice && (headers.get("origin") !== null || headers.get("upgrade") !== null)) return enter(request, bun)
    const fixed = check(request) ?? (isChoice ? answer(headers.get("authorization")) : answer)
    return fixed === undefined ? enter(request, bun) : answerFixed(fixed, isHead)
  }
}

/** Probes get the same answers again and again. */
const headOf = oncePer(({headers}: FixedAnswer) => new Headers(headers))

const answerFixed = (answer: FixedAnswer, isHead: boolean): Response => {
  const {status, body, requestId} = answer
  const response = new FetchResponse(isHead ? null : body, {status, headers: headOf(answer)})
  if (isHead) response.headers.set("content-length", String(Buffer.byteLength(body)))
  if (requestId !== undefined) response.headers.set("x-request-id", requestId())
  return response
}

const toIssue = (error: unknown, project: string) => {
  const position = (error as BuildMessage).position
  return {
    file: position?.file ? relative(project, position.file) : "",
    line: position?.line ?? 1,
    column: position?.column ?? 1,
    path: "",
    message: messageOf(error),
  }
}

const bundle = async ({entry, project, externals}: BundleOptions) => {
  const built = await Bun.build({
    entrypoints: [entry],
    target: "bun",
    packages: "external",
    sourcemap: "external",
    metafile: true,
    plugins: [
      {
        name: "externals",
        setup: build => {
          build.onResolve({filter: /^svc-runtime/}, ({path}) => ({path: externals[path] ?? path, external: true}))
        },
      },
    ],
  }).catch((error: unknown) => {
    const errors = error instanceof AggregateError ? error.errors : [error]
    const issues = errors.map(each => toIssue(each, project))
    throw bundleProblem(entry, issues, error)
  })
  const output = built.outputs.find(({kind}) => kind === "entry-point")
  const map = built.outputs.find(({kind}) => kind === "sourcemap")
  if (output === undefined || map === undefined) throw bundleProblem(entry, [], undefined)
  const files = Object.keys(built.metafile?.inputs ?? {}).map(file => resolve(file))
  // biome-ignore lint/plugin: these are files of the build
  return {code: inlineSourceMap(await output.text(), await map.text(), process.cwd()), files}
}

/** Settings that Bun reads only when the process starts: it keeps freed memory, and collects garbage in one thread. */
const fast = {MIMALLOC_PURGE_DELAY: "-1", BUN_JSC_numberOfGCMarkers: "1"}

/** The least memory of the process with these settings, in bytes. */
const leastForFast = 512 * 1024 * 1024

const startWith: Runtime["startWith"] = async memory => {
  const {execve, execPath, argv0, execArgv, argv, env} = process
  // Settings of the operator win; after the start they are the process's own.
  if (execve === undefined || Object.keys(fast).some(name => name in env)) return
  if (process.constrainedMemory() < leastForFast || (await memory()) === "small") return
  try {
    execve(execPath, [argv0, ...execArgv, ...argv.slice(1)], {...env, ...fast})
  } catch {
    // The program of the runtime was replaced: the Host runs without these settings.
  }
}

/** The Bun runtime: its own server, bundler and module cache. */
export const bun: Runtime = {
  name: "bun",
  version: Bun.version,
  serve,
  prepare: async () => {},
  bundle,
  load: path => import(path),
  unload: path => {
    delete require.cache[path]
  },
  startWith,
  // Bun saves memory without help.
  saveMemory: () => {},
}
