import type {Hooks, Peer} from "crossws"
import {type Issue, Problem} from "../../shared/problems.ts"
import {findPortHolder} from "./port-holder.ts"

/** The address of the socket that a request came in on; one function for all requests of a listener. */
export type PeerOf = (request: Request) => string

export type {Peer} from "crossws"

/** What happens on WebSockets. An upgrade is refused by an answer, or goes on with what its connection is to know. */
export interface SocketHooks extends Pick<Partial<Hooks>, "open" | "message" | "close" | "error"> {
  upgrade(request: Request, peerOf: PeerOf): Response | {readonly context: Peer["context"]}
}

/** Answers one request. Never rejects. */
export type Fetch = (request: Request, peerOf: PeerOf) => Response | Promise<Response>

/** An answer that is given without entering the application: for the probes. */
export interface FixedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface ServeOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  readonly fetch: Fetch
  /**
   * By exact path, for GET and HEAD: an answer that never changes, or a choice between a few that do not. A choice is not made for a
   * request with an `Origin`: the application knows CORS.
   */
  readonly fixed: Readonly<Record<string, FixedAnswer | (() => FixedAnswer)>>
  readonly socket: SocketHooks
  /** The paths whose bodies their routes stream to the disk, within limits of their own; none when left out. */
  readonly uploads?: readonly string[]
  /** So many connections may be open at once; the longest idle are closed for newer ones. */
  readonly connections: number
  /** The answer to a request that the listener refuses by itself: `host_invalid`, `path_invalid`, `no_room`, `internal`. */
  readonly refuse: (problem: Problem) => FixedAnswer
}

export interface Listener {
  readonly host: string
  readonly port: number
  /** Stops accepting, ends idle connections, and resolves when the last one is closed; `force` cuts those in use. */
  close(force: boolean): Promise<void>
}

export interface Bundle {
  readonly code: string
  /** Absolute paths of the source files that went in, without installed packages. */
  readonly files: readonly string[]
}

export interface BundleOptions {
  /** Absolute path of the entry file. */
  readonly entry: string
  /** Where bare imports of the SDK go: bare specifier to absolute path. Others stay as they are. */
  readonly externals: Readonly<Record<string, string>>
}

/** What differs between Bun and Node: two implementations, one contract suite. */
export interface Runtime {
  readonly name: "bun" | "node"
  readonly version: string
  /** Binds and resolves only once the port is open. Throws `port_taken`. */
  serve(options: ServeOptions): Promise<Listener>
  /** Bundles one plugin's source to a module. Throws `plugin_invalid` with the positions of all syntax errors. */
  bundle(options: BundleOptions): Promise<Bundle>
  /** Imports a module by absolute path. */
  load(path: string): Promise<unknown>
  /** Lets go of a module that was imported, as far as the runtime can. */
  unload(path: string): void
  /** From now on, takes little memory while the process is busy, and gives it back to the system while it rests. */
  saveMemory(): void
}

/** Limits of every connection. Sizes in bytes, times in milliseconds. */
export const limits = {
  body: 1024 * 1024,
  /** A body of so many declared bytes is counted before it has come: no runtime hands on more than that. */
  smallBody: 64 * 1024,
  /** A body over the limit is read and dropped up to here, so that its sender hears why; past it the connection is cut. */
  bodyDropped: 16 * 1024 * 1024,
  /** Of all bodies together that have arrived and are not answered yet. */
  bodies: 64 * 1024 * 1024,
  /** Of a body that its route streams to the disk; the route has limits of its own below this. */
  upload: 128 * 1024 * 1024,
  uploadTimeout: 600_000,
  /** Of an uploaded checkpoint, packed and unpacked. */
  checkpoint: 64 * 1024 ** 3,
  checkpointTimeout: 6 * 3_600_000,
  headers: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  socketMessage: 1024 * 1024,
} as const

/** Every connection that there may be is in use. */
export const noRoom = (): Problem => new Problem("no_room", "every connection is in use", {retryAfter: 10})

/** Throws `port_taken` for an address in use, with who has it, or passes the error on. */
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
      hint: "Choose an http.host of this machine and an http.port above 1023.",
    })
  }
  throw error
}

export const bundleProblem = (entry: string, issues: readonly Issue[], cause: unknown): Problem =>
  new Problem("plugin_invalid", `${entry} does not compile`, {issues, cause})
