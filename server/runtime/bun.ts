import http from "node:http"
import {relative, resolve} from "node:path"
import bunAdapter from "crossws/adapters/bun"
import {messageOf} from "../../shared/problems.ts"
import {
  type BundleOptions,
  bundleProblem,
  explainListenError,
  type FixedAnswer,
  limits,
  type PeerOf,
  type Runtime,
  type ServeOptions,
} from "./runtime.ts"
import {inlineSourceMap} from "./source-map.ts"

/** Longer than the pipeline's own limit, so that its answer comes first. A stream must write more often than this. */
const requestSeconds = limits.requestTimeout / 1000 + 5

const serve = async (options: ServeOptions) => {
  let server: Bun.Server<undefined> | undefined
  const peerOf: PeerOf = request => server?.requestIP(request)?.address ?? ""
  const {upgrade, ...hooks} = options.socket
  const sockets = bunAdapter({hooks: {...hooks, upgrade: request => upgrade(request, peerOf)}, idleTimeout: 60})
  const enter = (request: Request, bun: Bun.Server<unknown>): Response | Promise<Response> => {
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
      return sockets.handleUpgrade(request, bun as never) as Promise<Response>
    }
    bun.timeout(request, requestSeconds)
    return options.fetch(request, peerOf)
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
      maxRequestBodySize: limits.bodyDropped,
      routes: Object.fromEntries(
        Object.entries(options.fixed).map(([path, answer]) => [path, fixedRoute(answer, enter)]),
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

const fixedRoute = (answer: ServeOptions["fixed"][string], enter: Enter) => {
  if (typeof answer !== "function") return {GET: answerGet(answer), HEAD: answerHead(answer)}
  const choose =
    (respond: (answer: FixedAnswer) => Response): Enter =>
    (request, bun) =>
      isPlain(request.headers) ? respond(answer()) : enter(request, bun)
  return {GET: choose(answerGet), HEAD: choose(answerHead)}
}

/** Neither CORS nor an upgrade is asked for: both are the application's. */
const isPlain = (headers: Headers) => headers.get("origin") === null && headers.get("upgrade") === null

const answerGet = (answer: FixedAnswer) => new Response(answer.body, answer)

const answerHead = ({status, headers, body}: FixedAnswer) =>
  new Response(null, {status, headers: {...headers, "content-length": String(body.length)}})

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
}
