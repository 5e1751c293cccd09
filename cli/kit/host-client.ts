import {setTimeout as sleep} from "node:timers/promises"
import {parseConfig, readConfigText, readEnvironment} from "../../server/config/load.ts"
import {type HostFile, readHostFile} from "../../server/runtime/host-file.ts"
import {isLocked, readHolder} from "../../server/runtime/lock.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {bypassProxy} from "../../server/runtime/proxy.ts"
import {type Answer, type Client, createClient, type Path} from "../../shared/api/operations/client.ts"
import {fromJson} from "../../shared/json.ts"
import {isProblem, messageOf, Problem, type ProblemBody, type ProblemCode, problems} from "../../shared/problems.ts"
import {readText} from "../../shared/sdk/adapter/answer.ts"

/** The largest answer that is read, in bytes. */
const largest = 64 * 1024 * 1024

/** The running Host of a project, over HTTP. */
export interface HostClient extends Client<never> {
  readonly file: HostFile
  /** Sends a request that no table of operations has, such as those of plugins. Throws the Host's problem. */
  send<T>(method: "GET" | "POST", path: string, body?: unknown): Promise<T>
  /** Streams a body to the Host. Throws the Host's problem. */
  put<P extends Path<"PUT">>(path: P, body: ReadableStream<Uint8Array>): Promise<Answer<"PUT", P>>
  /** Resolves to a response to stream. Throws the Host's problem. */
  open(path: string, signal: AbortSignal, headers?: Readonly<Record<string, string>>): Promise<Response>
}

/**
 * Finds the running Host by `.svc/host.json`. The token is `SVC_HTTP_TOKEN`, else the one generated for this run, else
 * `http.token` of the project's configuration and `.env`, and if the Host refuses that, `http.previousToken`. Throws
 * `host_unreachable`.
 */
export const connectHost = async (project: string): Promise<HostClient> => {
  const file = await findHost(project)
  if (file === undefined) throw new Problem("host_unreachable", `no Host is running for ${project}`)
  bypassProxy(new URL(file.url))
  const given = process.env.SVC_HTTP_TOKEN ?? file.token
  const call = callWith(file.url, given === undefined ? await configuredTokens(project) : [given])
  const send = async <T>(method: string, path: string, body?: unknown) => {
    const sent = {headers: {"content-type": "application/json"}, body: JSON.stringify(body)}
    return (await readJson(await call(path, {method, ...(body === undefined ? {} : sent)}))) as T
  }
  return {
    ...createClient<never>(send),
    file,
    send,
    put: async <T>(path: string, body: ReadableStream<Uint8Array>) => {
      // A body can be sent only once, so this request finds out first which token the Host accepts.
      await call("/api/session", {})
      const headers = {"content-type": "application/octet-stream"}
      // Node needs `duplex` to send a stream.
      const init: RequestInit & {readonly duplex: "half"} = {method: "PUT", body, headers, duplex: "half"}
      return (await readJson(await call(path, init))) as T
    },
    open: (path, signal, headers = {}) => call(path, {signal, headers}),
  }
}

const findHost = async (project: string): Promise<HostFile | undefined> => {
  const paths = projectPaths(project)
  const file = await readHostFile(paths)
  return file !== undefined && (await isLocked(paths)) ? file : undefined
}

/** Resolves to whether a Host serves this project; a starting Host does not yet. */
export const isHostRunning = async (project: string): Promise<boolean> => (await findHost(project)) !== undefined

/**
 * Resolves to the running Host, or to undefined if the caller must do the work itself. A Host that waits for free space
 * takes the project only during each attempt to start, so a holder that does not serve gets 3 s. Throws
 * `host_unreachable`, and what the Host answers.
 */
export const connectUnlessStopped = async (project: string): Promise<HostClient | undefined> => {
  const paths = projectPaths(project)
  const deadline = performance.now() + 3000
  for (;;) {
    if (!(await isLocked(paths).catch(() => false))) return undefined
    if ((await readHolder(paths))?.kind === "command") return undefined
    try {
      const host = await connectHost(project)
      const {provisional} = await host.get("/api/system/status")
      if (provisional?.waitsFor !== "space" || performance.now() > deadline) return host
    } catch (error) {
      const mayPass = mayComeFromRestart(error) && !isProblem(error, "unauthorized")
      if (!mayPass || performance.now() > deadline) throw error
    }
    await sleep(100)
  }
}

/** The errors that a restarting Host causes; in development its token changes too. */
const ofRestart: readonly ProblemCode[] = ["host_unreachable", "starting", "stopping", "unauthorized"]

export const mayComeFromRestart = (error: unknown): boolean =>
  error instanceof Problem && ofRestart.includes(error.code)

/** Resolves to an answer, or to undefined if the Host refuses the request with this code. */
export const unless = <T>(code: ProblemCode, answer: Promise<T>): Promise<T | undefined> =>
  answer.catch(error => {
    if (isProblem(error, code)) return undefined
    throw error
  })

type Call = (path: string, init: RequestInit) => Promise<Response>

/** Sends requests with the first token; once a Host refuses it, not restarted since a rotation, with the next. */
const callWith = (base: string, tokens: readonly string[]): Call => {
  let left = tokens
  const call: Call = async (path, init) => {
    const shown = left
    try {
      return await request(`${base}${path}`, shown[0], init)
    } catch (error) {
      if (shown.length < 2 || !isProblem(error, "unauthorized")) throw error
      if (left === shown) left = shown.slice(1)
      return call(path, init)
    }
  }
  return call
}

const request = async (url: string, token: string | undefined, init: RequestInit): Promise<Response> => {
  const headers = {...init.headers, ...(token === undefined ? {} : {authorization: `Bearer ${token}`})}
  const response = await fetch(url, {...init, headers, redirect: "error"}).catch(cause => {
    throw new Problem("host_unreachable", `${new URL(url).origin} does not answer: ${messageOf(cause)}`, {cause})
  })
  if (response.ok || response.status === 503) {
    const type = response.headers.get("content-type") ?? ""
    if (response.ok || !type.startsWith("application/problem+json")) return response
  }
  throw await problemOf(response)
}

/** Throws if the answer is not JSON. */
const readJson = async (response: Response): Promise<unknown> => fromJson(await readText(response, largest))

const problemOf = async (response: Response): Promise<Problem> => {
  const body = (await readJson(response).catch(() => undefined)) as ProblemBody | undefined
  if (body === undefined || !Object.hasOwn(problems, body.code)) {
    const detail = typeof body?.detail === "string" ? `: ${body.detail}` : ""
    return new Problem("host_unreachable", `the Host answered ${response.status}${detail}`)
  }
  const options = {hint: body.hint, ...(body.issues === undefined ? {} : {issues: body.issues})}
  return new Problem(body.code as ProblemCode, body.detail, options)
}

/** Returns `http.token`, then `http.previousToken`; of an invalid configuration, the variable `HTTP_TOKEN`. */
const configuredTokens = async (project: string): Promise<readonly string[]> => {
  const text = await readConfigText(projectPaths(project).config).catch(() => undefined)
  if (text === undefined) return []
  let fallback: string | undefined
  for (const name of ["production", "development"]) {
    try {
      const {variables} = await readEnvironment(project, name, process.env)
      fallback ??= variables.HTTP_TOKEN
      const {token, previousToken} = parseConfig(text, variables).config.http
      return [token, previousToken?.token].flatMap(each => (each === undefined ? [] : [each.reveal()]))
    } catch {
      // The file of the other environment may have the missing variables.
    }
  }
  return fallback === undefined ? [] : [fallback]
}
