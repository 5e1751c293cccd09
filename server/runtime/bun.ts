import http from "node:http"
import {relative, resolve} from "node:path"
import bunAdapter from "crossws/adapters/bun"
import {messageOf, Problem} from "../../shared/problems.ts"
import {
  type BundleOptions,
  bundleProblem,
  explainListenError,
  type FixedAnswer,
  limits,
  noRoom,
  type PeerOf,
  type Runtime,
  type ServeOptions,
} from "./runtime.ts"
import {oncePerAnswer} from "./sockets/heads.ts"
import {createTargetCheck} from "./sockets/target.ts"
import {inlineSourceMap} from "./source-map.ts"

/** Longer than the pipeline's own limit, so that its answer comes first. A stream must write more often than this. */
const requestSeconds = limits.requestTimeout / 1000 + 5

/** The seconds that remain for the rest of a body that nobody reads. */
const unreadSeconds = 10

const serve = async (options: ServeOptions) => {
  let server: Bun.Server<undefined> | undefined
  // HTTP/1.0 needs no Host, and without one Bun makes no URL of the path.
  const arrivals = new WeakMap<Request, Request>()
  const peerOf: PeerOf = request => server?.requestIP(arrivals.get(request) ?? request)?.address ?? ""
  const {upgrade, ...hooks} = options.socket
  const sockets = bunAdapter({hooks: {...hooks, upgrade: request => upgrade(request, peerOf)}, idleTimeout: 60})
  const check = createCheck(options)
  const enter: Enter = (request, bun) => {
    const refusal = check(request) ?? refuseCrowd(options, bun)
    if (refusal !== undefined) return answerFixed(refusal, request.method)
    if (isUpgrade(request)) return sockets.handleUpgrade(request, bun as never) as Promise<Response>
    bun.timeout(request, requestSeconds)
    const answered = options.fetch(withHost(request, arrivals), peerOf)
    return request.method === "GET" || request.method === "HEAD" ? answered : limitUnread(answered, request, bun)
  }
  // Of the whole process, and 16 KiB otherwise: Bun.serve has no option for it, and its types do not know the setter.
  Reflect.set(http, "maxHeaderSize", limits.headers)
  try {
    const opened = Bun.serve({
      hostname: options.host,
      port: options.port,
      reusePort: false,
      // Cuts a connection whose headers do not end; a request that has arrived gets more.
      idleTimeout: limits.headersTimeout / 1000,
      // The largest of any route; what its route does not read, Bun does not take from the connection.
      maxRequestBodySize: limits.checkpoint + limits.bodyDropped,
      // Otherwise the answer to an error is a page with the source, and the error goes to standard error.
      development: false,
      error: cause => answerFixed(options.refuse(new Problem("internal", "the Host failed to answer", {cause})), "GET"),
      routes: Object.fromEntries(
        Object.entries(options.fixed).map(([path, answer]) => [path, fixedRoute(answer, check, enter)]),
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

/** The answer to a request that goes no further. */
type Check = (request: Request) => FixedAnswer | undefined

/** Bun itself refuses HTTP/1.1 without a Host, and the target `*`, with an empty 400. */
const createCheck = ({refuse}: ServeOptions): Check => {
  const flawOf = createTargetCheck()
  return ({url, headers}) => {
    const flaw = flawOf({url, host: headers.get("host") ?? undefined, needsHost: false})
    return flaw === undefined ? undefined : refuse(flaw)
  }
}

/** Bun tells of requests and WebSockets, not of connections; idle ones end after `idleTimeout`. */
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

/** A refusal that did not wait for the body does not let its sender hold the connection for long. */
const limitUnread = async (answered: Response | Promise<Response>, request: Request, bun: Bun.Server<unknown>) => {
  const response = await answered
  if (response.status >= 400 && !request.bodyUsed) bun.timeout(request, unreadSeconds)
  return response
}

const fixedRoute = (answer: ServeOptions["fixed"][string], check: Check, enter: Enter): Enter => {
  const isChoice = typeof answer === "function"
  return (request, bun) => {
    const {method, headers} = request
    if (method !== "GET" && method !== "HEAD") return enter(request, bun)
    // CORS and an upgrade are the application's.
    if (isChoice && (headers.get("origin") !== null || headers.get("upgrade") !== null)) return enter(request, bun)
    return answerFixed(check(request) ?? (isChoice ? answer() : answer), method)
  }
}

const headOf = oncePerAnswer(({headers}) => new Headers(headers))

const answerFixed = (answer: FixedAnswer, method: string): Response => {
  const {status, headers, body} = answer
  return method === "HEAD"
    ? new Response(null, {status, headers: {...headers, "content-length": String(body.length)}})
    : new Response(body, {status, headers: headOf(answer)})
}

const toIssue = (error: unknown) => {
  const position = (error as BuildMessage).position
  return {
    file: position?.file ? relative(process.cwd(), position.file) : "",
    line: position?.line ?? 1,
    column: position?.column ?? 1,
    path: "",
    message: messageOf(error),
  }
}

const bundle = async ({entry, externals}: BundleOptions) => {
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
    throw bundleProblem(entry, errors.map(toIssue), error)
  })
  const output = built.outputs.find(({kind}) => kind === "entry-point")
  const map = built.outputs.find(({kind}) => kind === "sourcemap")
  if (output === undefined || map === undefined) throw bundleProblem(entry, [], undefined)
  const files = Object.keys(built.metafile?.inputs ?? {}).map(file => resolve(file))
  return {code: inlineSourceMap(await output.text(), await map.text(), process.cwd()), files}
}

/** Bun: its own server, bundler and module cache. */
export const bun: Runtime = {
  name: "bun",
  version: Bun.version,
  serve,
  bundle,
  load: path => import(path),
  unload: path => {
    delete require.cache[path]
  },
  // It does so by itself.
  saveMemory: () => {},
}
