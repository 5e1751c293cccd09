import {Readable} from "node:stream"
import type {Api, ApiClientOptions, InputFile} from "grammy"
import type {UserFromGetMe} from "grammy/types"
import {type CheckTools, fetchWhole, type StoredFile} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {BotApiError} from "./failures.ts"

/** The timeout in seconds, longer than a long poll. */
const patience = 75

/** The account's access to the Bot API. Its methods throw `BotApiError`, and errors without the token. */
export interface Bot {
  readonly api: Api["raw"]
  /** Returns a stored file for the API's methods. It is read again for each request. */
  upload(file: StoredFile): InputFile
  /** Reads a file by the path that `getFile` returned. */
  download(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
}

/** The library's type for the web's signal. It needs only the methods of an event target. */
export type ApiSignal = NonNullable<Parameters<Api["getMe"]>[0]>
export const apiSignal = (signal: AbortSignal): ApiSignal => signal as unknown as ApiSignal

/** The library's signal and stream are not those of the web. It asks for compressed answers; Bun would compress requests. */
const fetchApi = ((url: string, {signal, body, compress: _, ...init}: RequestInit & {readonly compress?: boolean}) => {
  const ended = new AbortController()
  signal?.addEventListener("abort", () => ended.abort(), {once: true})
  const sent: unknown = body instanceof Readable ? Readable.toWeb(body) : body
  return fetchWhole(url, {...init, body: sent as BodyInit, duplex: "half", redirect: "error", signal: ended.signal})
}) as unknown as NonNullable<ApiClientOptions["fetch"]>

export const createBot = async ({token, apiRoot}: AccountSettings, {load}: Pick<CheckTools, "load">): Promise<Bot> => {
  const {Api, InputFile} = await load<typeof import("grammy")>("grammy")
  const root = (apiRoot ?? "https://api.telegram.org").replace(/\/+$/, "")
  const secret = token.reveal()
  /** HTTP errors contain the address, which includes the token. */
  const reasonOf = (error: unknown): string =>
    (error instanceof Error ? error.message : String(error)).replaceAll(secret, "<token>")
  const {raw, config} = new Api(secret, {apiRoot: root, timeoutSeconds: patience, fetch: fetchApi})
  config.use(async (previous, method, payload, signal) => {
    const answer = await previous(method, payload, signal).catch((error: unknown) => {
      // The library's error has the original one in `error`.
      const cause = typeof error === "object" && error !== null && "error" in error ? error.error : error
      throw new Error(`Telegram did not answer ${method}: ${reasonOf(cause)}`)
    })
    if (answer?.ok === true) return answer
    const {error_code: code, description, parameters} = answer ?? {}
    if (code === undefined) throw new Error(`the answer to ${method} does not look like Telegram's Bot API`)
    throw new BotApiError(code, reasonOf(description), parameters, /^\d+:[\w-]+$/.test(secret))
  })
  return {
    api: raw,
    upload: file => new InputFile(() => file.stream(), fileNameOf(file.name)),
    download: async (path, signal) => {
      const answer = await fetch(`${root}/file/bot${secret}/${path}`, {signal, redirect: "error"}).catch(error => {
        throw new Error(`Telegram did not return the file: ${reasonOf(error)}`)
      })
      if (answer.ok && answer.body !== null) return answer.body
      await answer.body?.cancel()
      throw new Error(`Telegram did not return the file: ${answer.status}`)
    },
  }
}

/** Returns the bot's own user. */
export const askSelf = async ({api}: Bot, signal: AbortSignal): Promise<UserFromGetMe> => {
  const me = await api.getMe(apiSignal(signal))
  if (Number.isInteger(me?.id) && typeof me.username === "string") return me
  throw new Error("Telegram did not return the bot's user")
}

/** The library writes the name into the part's header unescaped. */
const fileNameOf = (name: string): string => name.replace(/[\r\n";\\/]/g, "_")
