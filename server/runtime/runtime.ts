import type {Hooks, Peer} from "crossws"
import {type Issue, Problem} from "../../shared/problems.ts"
import {findPortHolder} from "./port-holder.ts"

/** Returns the address of the socket from which a request came. All requests of a listener share one function. */
export type PeerOf = (request: Request) => string

export type {Peer} from "crossws"

/** The events of WebSockets. `upgrade` returns an answer that refuses it, or the context for the connection. */
export interface SocketHooks extends Pick<Partial<Hooks>, "open" | "message" | "close" | "error"> {
  upgrade(request: Request, peerOf: PeerOf): Response | {readonly context: Peer["context"]}
}

/** Answers one request. Never rejects. */
export type Fetch = (request: Request, peerOf: PeerOf) => Response | Promise<Response>

/** An answer that bypasses the application. */
export interface FixedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Returns the `X-Request-Id` of each request. */
  readonly requestId?: () => string
}

/** Chooses an answer by the `Authorization` header, null without one. Undefined leaves the request to the application. */
export type FixedChoice = (authorization: string | null) => FixedAnswer | undefined

export interface ServeOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly fetch: Fetch
  /**
   * Answers by exact path, for GET and HEAD, or chooses one when it is the request's turn on its connection. A request
   * with an `Origin` has no choice, since the application handles CORS.
   */
  readonly fixed: Readonly<Record<string, FixedAnswer | FixedChoice>>
  readonly socket: SocketHooks
  /** Paths whose routes stream the body to the disk, within their own limits; none when left out. */
  readonly uploads?: readonly string[]
  /** How many connections may be open at once. The listener closes the longest idle ones for new ones. */
  readonly connections: number
  /** Returns the answer that the listener itself gives: `host_invalid`, `path_invalid`, `no_room`, `internal`. */
  readonly refuse: (problem: Problem) => FixedAnswer
}

export interface Listener {
  readonly host: string
  readonly port: number
  /** Stops accepting, closes idle connections, and resolves when the last is closed. `force` also cuts those in use. */
  close(force: boolean): Promise<void>
}

export interface Bundle {
  readonly code: string
  /** Absolute paths of the bundled source files, without installed packages. */
  readonly files: readonly string[]
}

export interface BundleOptions {
  /** Absolute path of the entry file. */
  readonly entry: string
  /** The project's folder: errors name files relative to it. */
  readonly project: string
  /** Absolute paths for bare imports of the SDK, by specifier. Other imports stay as they are. */
  readonly externals: Readonly<Record<string, string>>
}

/** The differences between Bun and Node. One contract suite runs against both implementations. */
export interface Runtime {
  readonly name: "bun" | "node"
  readonly version: string
  /** Resolves only once the port is open. Throws `port_taken`. */
  serve(options: ServeOptions): Promise<Listener>
  /** Loads what `fetch` and `socket` of a listener need. Otherwise their first request or upgrade loads it. */
  prepare(): Promise<void>
  /** Bundles a plugin's source into a module. Throws `plugin_invalid` with the positions of all syntax errors. */
  bundle(options: BundleOptions): Promise<Bundle>
  /** Imports a module by absolute path. */
  load(path: string): Promise<unknown>
  /** Frees an imported module, as far as the runtime can. */
  unload(path: string): void
  /** Replaces the process by a new start of itself if the runtime reads its settings for this memory only then. */
  startWith(memory: () => Promise<"small" | "fast">): Promise<void>
  /** Limits the memory of a busy process, and returns memory to the system while it is idle. */
  saveMemory(): void
}

/** Limits of every connection. Sizes in bytes, times in milliseconds. */
export const limits = {
  body: 1024 * 1024,
  /** A body up to this declared size counts before it has arrived: no runtime passes on more than the declared size. */
  smallBody: 64 * 1024,
  /** How much of a body over the limit to drop, so that its sender reads the refusal. Beyond this, svc cuts it off. */
  bodyDropped: 16 * 1024 * 1024,
  /** For all bodies together that have arrived and are not answered yet. */
  bodies: 64 * 1024 * 1024,
  /** For a body that its route streams to the disk; the route has its own limits below this one. */
  upload: 128 * 1024 * 1024,
  uploadTimeout: 600_000,
  /** For an uploaded checkpoint, packed and unpacked. */
  checkpoint: 64 * 1024 ** 3,
  checkpointTimeout: 6 * 3_600_000,
  headers: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  socketMessage: 1024 * 1024,
} as const

/** The error for a request when every allowed connection is in use. */
export const noRoom = (): Problem => new Problem("no_room", "every connection is in use", {retryAfter: 10})

/** The public error for a request whose answer failed. It does not show the cause. */
export const failedToAnswer = (cause: unknown): Problem => new Problem("internal", "the Host failed to answer", {cause})

/** Throws `port_taken` for an address in use, with its holder, or rethrows the error. */
export const explainListenError = async (error: unknown, host: string, port: number): Promise<never> => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "EADDRINUSE") {
    const holder = await findPortHolder(port)
    const by = holder === undefined ? "" : ` by ${holder}`
    throw new Problem("port_taken", `${host}:${port} is already in use${by}`, {cause: error})
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL") {
    throw new Problem("port_taken", `cannot listen on ${host}:${port} (${code})`, {
      cause: error,
      hint: "Set http.host to an address of this machine and http.port to a port above 1023.",
    })
  }
  throw error
}

export const bundleProblem = (entry: string, issues: readonly Issue[], cause: unknown): Problem =>
  new Problem("plugin_invalid", `${entry} does not compile`, {issues, cause})
