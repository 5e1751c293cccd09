import {refused, retryAfter} from "../../../shared/sdk/sdk.ts"
import {type AccountSettings, baseOf} from "./account.ts"
import {fieldsOf, textIn} from "./fields.ts"
import type {ServerLogin} from "./protocol.ts"

/** In characters: what an error shows of a server's answer. */
const longestReason = 300

/** An answer of the server that is no success. */
export class AnswerError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The methods of Satori for one login. */
export interface Methods {
  /** Asks a method; resolves to its answer, undefined where that is no JSON. Throws `AnswerError`, and what the connection throws. */
  call(method: string, params: unknown, signal: AbortSignal): Promise<unknown>
  /** Opens what the login alone can open. Undefined for what is not its own: the author of a message may have written the address. */
  open(link: string, signal: AbortSignal): Promise<Response | undefined>
}

/** The HTTP side of a server, asked as one login. */
export class Api implements Methods {
  readonly #base: string
  readonly #token: string | undefined
  readonly #login: Pick<ServerLogin, "platform" | "user">

  constructor(account: Pick<AccountSettings, "url" | "token">, login: Pick<ServerLogin, "platform" | "user">) {
    this.#base = baseOf(account)
    this.#token = account.token?.reveal()
    this.#login = login
  }

  async call(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#fetch(`/v1/${method}`, signal, {
      method: "POST",
      headers: {"content-type": "application/json"},
      body: JSON.stringify(params),
    })
    return json(await this.#textOf(answer, method))
  }

  /** Uploads one file; resolves to its address. Throws as `call`. */
  async upload(form: {readonly type: string; readonly body: ReadableStream<Uint8Array>}, signal: AbortSignal) {
    const method = "upload.create"
    const headers = {"content-type": form.type}
    const answer = await this.#fetch(`/v1/${method}`, signal, {
      method: "POST",
      headers,
      body: form.body,
      duplex: "half",
    } as RequestInit)
    const src = Object.values(fieldsOf(json(await this.#textOf(answer, method)))).find(each => typeof each === "string")
    if (typeof src !== "string") throw new Error("the server accepted the file but returned no address for it")
    return src
  }

  /** By the server's proxy; undefined where the link would lead to another place of the server. */
  async open(link: string, signal: AbortSignal): Promise<Response | undefined> {
    const prefix = `${this.#base}/v1/proxy/`
    const url = URL.parse(`${prefix}${link}`)
    if (url === null || !url.href.startsWith(new URL(prefix).href) || url.hash !== "") return undefined
    return this.#fetch(url.href.slice(new URL(this.#base).href.replace(/\/$/, "").length), signal)
  }

  #fetch(path: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response> {
    const {platform, user} = this.#login
    const headers = {
      ...(this.#token === undefined ? {} : {authorization: `Bearer ${this.#token}`}),
      "satori-platform": platform,
      "satori-user-id": user.id,
      // Servers of the first drafts read these.
      "x-platform": platform,
      "x-self-id": user.id,
      ...(init.headers as Record<string, string> | undefined),
    }
    // A redirect could take the token elsewhere.
    return fetch(`${this.#base}${path}`, {...init, headers, signal, redirect: "manual"})
  }

  async #textOf(answer: Response, method: string): Promise<string> {
    const text = await answer.text()
    if (answer.ok) return text
    if (answer.status === 429 || (answer.status === 503 && answer.headers.has("retry-after")))
      throw retryAfter(answer.headers.get("retry-after"), `the server asks to wait before another ${method}`)
    throw new AnswerError(answer.status, `${method}: the server answered ${answer.status}${this.#reasonIn(text)}`)
  }

  /** What the server says of it; never the token, which it may have repeated. */
  #reasonIn(text: string): string {
    const problem = fieldsOf(json(text))
    const said = textIn(problem, "detail") ?? textIn(problem, "message") ?? textIn(problem, "title") ?? text
    const shown = this.#token === undefined ? said : said.replaceAll(this.#token, "[token]")
    const line = shown.replace(/\s+/g, " ").trim().slice(0, longestReason).toWellFormed()
    return line === "" || line.startsWith("<") ? "" : `: ${line}`
  }
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isFinal = (status: number): boolean => (status >= 300 && status < 500 && status !== 408) || status === 501

/** The error of an act for the Host: a refusal where another attempt would end the same way. */
export const finalOf = (error: unknown): unknown => {
  if (!(error instanceof AnswerError) || !isFinal(error.status)) return error
  return refused(error.message, {
    reason: error.status === 501 ? "unsupported" : "rejected",
    remediation: remediationOf(error.status),
    cause: error,
  })
}

const remediationOf = (status: number): string => {
  if (status < 400) return "The server redirects: correct url in the account."
  if (status === 401) return "Correct the variable that token names: its value is the token of the Satori server."
  if (status === 403) return "Give the bot the permission on its platform, or correct platform and user in the account."
  if (status === 404 || status === 405 || status === 501)
    return "Correct the target. If it exists, the server or its platform does not support this method."
  return "Correct the message; the server's answer says what it rejects."
}
