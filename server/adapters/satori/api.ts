import {fetchWhole, readText, refused, retryAfter, tryParseJson} from "../../../shared/sdk/sdk.ts"
import {type AccountSettings, baseOf} from "./account.ts"
import {fieldsOf, textIn} from "./fields.ts"
import type {ServerLogin} from "./protocol.ts"

/** The most characters of a server's answer in an error. */
const longestReason = 300

/** An answer of the server with an error status. */
export class AnswerError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The methods of Satori for one login. */
export interface Methods {
  /**
   * Calls a method. Resolves to its answer; undefined if that is not JSON. Throws `AnswerError`, and errors of the
   * connection.
   */
  call(method: string, params: unknown, signal: AbortSignal): Promise<unknown>
  /**
   * Opens a file that only the login can open. Undefined for other addresses, because the author of a message may have
   * written them.
   */
  open(link: string, signal: AbortSignal): Promise<Response | undefined>
}

/** The HTTP API of a server, called as one login. */
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
    const body = JSON.stringify(params)
    return tryParseJson(await this.#post(method, "application/json", body, signal))
  }

  /** Uploads one file. Resolves to its address. Throws the same errors as `call`. */
  async upload(form: {readonly type: string; readonly body: ReadableStream<Uint8Array>}, signal: AbortSignal) {
    const links = fieldsOf(tryParseJson(await this.#post("upload.create", form.type, form.body, signal)))
    const src = Object.values(links).find(each => typeof each === "string")
    if (typeof src !== "string") throw new Error("the server accepted the file but returned no address for it")
    return src
  }

  /** Opens a link through the server's proxy. Undefined if the link would leave the proxy's path. */
  async open(link: string, signal: AbortSignal): Promise<Response | undefined> {
    const prefix = `${this.#base}/v1/proxy/`
    const url = URL.parse(`${prefix}${link}`)
    if (url === null || !url.href.startsWith(new URL(prefix).href) || url.hash !== "") return undefined
    return fetch(url, {headers: this.#headers, signal, redirect: "manual"})
  }

  get #headers(): Readonly<Record<string, string>> {
    const {platform, user} = this.#login
    return {
      ...(this.#token === undefined ? {} : {authorization: `Bearer ${this.#token}`}),
      "satori-platform": platform,
      "satori-user-id": user.id,
      // Servers that follow the first drafts read these.
      "x-platform": platform,
      "x-self-id": user.id,
    }
  }

  async #post(method: string, type: string, body: string | ReadableStream<Uint8Array>, signal: AbortSignal) {
    const headers = {...this.#headers, "content-type": type}
    // A redirect could leak the token.
    const init = {method: "POST", headers, body, duplex: "half", signal, redirect: "manual"} as const
    const answer = await fetchWhole(`${this.#base}/v1/${method}`, init)
    const text = await readText(answer)
    if (answer.ok) return text
    if (answer.status === 429 || (answer.status === 503 && answer.headers.has("retry-after")))
      throw retryAfter(answer.headers.get("retry-after"), `the server asks to wait before another ${method}`)
    throw new AnswerError(answer.status, `${method}: the server answered ${answer.status}${this.#reasonIn(text)}`)
  }

  /** Returns the server's reason, without the token, which the server may have repeated. */
  #reasonIn(text: string): string {
    const problem = fieldsOf(tryParseJson(text))
    const said = textIn(problem, "detail") ?? textIn(problem, "message") ?? textIn(problem, "title") ?? text
    const shown = this.#token === undefined ? said : said.replaceAll(this.#token, "[token]")
    const line = shown.replace(/\s+/g, " ").trim().slice(0, longestReason).toWellFormed()
    return line === "" || line.startsWith("<") ? "" : `: ${line}`
  }
}

const isFinal = (status: number): boolean => (status >= 300 && status < 500 && status !== 408) || status === 501

/** Converts the error of an act for the Host: to a refusal if a retry would fail too. */
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
