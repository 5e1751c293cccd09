import {fetchWhole, type Refusal, refused, retryAfter} from "../../../../shared/sdk/sdk.ts"
import {type AccountSettings, usualApi} from "./account.ts"
import {isSnowflake, numberIn, payloadOf, textIn} from "./payload.ts"

export type RestLibrary = typeof import("@discordjs/rest")

export interface Ask {
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
  readonly files?: readonly {readonly name: string; readonly data: Uint8Array; readonly contentType: string}[]
  /** False if the address itself is the secret, as with interactions. */
  readonly auth?: boolean
}

/**
 * Discord's HTTP API, called as the bot. Failures are thrown in the Host's terms: a refusal, a wait, or an error to
 * retry.
 */
export interface Api {
  ask(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    ask?: Ask,
    signal?: AbortSignal,
  ): Promise<unknown>
}

/** An answer with status 401: of Discord, which rejects the token, or of a proxy on the way. */
export class Unauthorized extends Error {
  readonly isDiscords: boolean

  constructor(message: string, isDiscords: boolean) {
    super(message)
    this.isDiscords = isDiscords
  }
}

export const createApi = (
  library: RestLibrary,
  {token, api = usualApi}: Pick<AccountSettings, "token" | "api">,
): Api & {close(): void} => {
  // The library neither waits nor retries: the Host counts attempts and shows waits.
  const options = {api, version: "10", retries: 0, timeout: 25_000, rejectOnRateLimit: () => true}
  const makeRequest = ((url: string, init: RequestInit) =>
    fetchWhole(url, {...init, redirect: "manual"})) as unknown as typeof library.DefaultRestOptions.makeRequest
  const rest = new library.REST({...options, makeRequest})
  rest.setToken(token.reveal())
  return {
    ask: async (method, path, {body, query, files, auth = true} = {}, signal) => {
      try {
        return await rest.request({
          method: library.RequestMethod[methodNames[method]],
          fullRoute: `/${path.slice(1)}`,
          auth,
          ...(body === undefined ? {} : {body}),
          ...(query === undefined ? {} : {query: new URLSearchParams(query)}),
          ...(files === undefined || files.length === 0
            ? {}
            : {files: files.map(file => ({...file, data: Buffer.from(file.data)}))}),
          ...(signal === undefined ? {} : {signal}),
        })
      } catch (error) {
        // After a 401 the library forgets the token.
        rest.setToken(token.reveal())
        throw explain(library, error, method, path)
      }
    },
    close: () => {
      rest.clearHashSweeper()
      rest.clearHandlerSweeper()
    },
  }
}

const methodNames = {GET: "Get", POST: "Post", PUT: "Put", PATCH: "Patch", DELETE: "Delete"} as const

/** Discord's errors with a specific remedy (Discord: JSON Error Codes). */
const remedies: Readonly<Record<number, readonly [reason: string, remediation: string]>> = {
  10003: ["channel_unknown", "Send to a channel that the bot can see; svc endpoint show lists the channels it knows."],
  10004: ["guild_unknown", "Use the id of a server that the bot is in."],
  10007: ["member_unknown", "Use the id of a member of the server."],
  10008: ["message_unknown", "The message was deleted, or is in another channel."],
  10013: ["user_unknown", "Use the user's Discord id."],
  10014: ["emoji_unknown", "Use a Unicode emoji, or name:id of a custom emoji that the bot can use."],
  30046: ["edits", "Discord limits edits of messages older than an hour: send a new message."],
  40005: ["file_too_large", "Send a smaller file."],
  50001: ["permission", "Give the bot's role the permission View Channel in this channel."],
  50006: ["empty", "Add text, a file or a button to the message."],
  50007: ["direct_closed", "The user accepts no direct messages from the bot. Write in a channel that both can see."],
  50013: [
    "permission",
    "Give the bot's role the permission in this server or channel; svc adapter check shows which ones it has.",
  ],
  50083: ["thread_archived", "Reopen the thread, or send elsewhere."],
}

/** Returns the code of a refusal by Discord; undefined for another error. */
export const codeOf = (error: unknown): number | undefined => numberIn(payloadOf(error), "discord")

const explain = (library: RestLibrary, error: unknown, method: string, path: string): Error => {
  if (error instanceof library.RateLimitError) {
    const wait = Math.max(error.timeToReset, error.retryAfter, error.sublimitTimeout)
    return retryAfter(Number.isFinite(wait) ? wait : 1000, `Discord rate-limits ${method} ${publicPath(path)}`)
  }
  if (error instanceof library.DiscordAPIError) {
    const {code, status} = error
    const said = `Discord refused ${method} ${publicPath(path)}: ${error.message.slice(0, 500)}`
    if (status === 401) return new Unauthorized(said, typeof code === "number")
    const [reason, remediation] = remedies[Number(code)] ?? [
      status === 403 ? "permission" : "rejected",
      "Read Discord's message above; svc adapter check shows the bot's permissions.",
    ]
    return withCode(refused(said, {passing: true, reason, remediation}), Number(code))
  }
  if (error instanceof library.HTTPError)
    return new Error(`Discord answered ${error.status} to ${method} ${publicPath(path)}`)
  const said = textIn(payloadOf(error), "message") ?? "no reason given"
  const why = error instanceof Error && error.name === "AbortError" ? "no answer in time" : said
  return new Error(`could not reach Discord (${method} ${publicPath(path)}): ${why}`)
}

const withCode = (refusal: Refusal, discord: number): Refusal => Object.assign(refusal, {discord})

/** Hides the tokens of interactions, which are part of their paths. */
const publicPath = (path: string): string => path.replace(/(\/(?:webhooks|interactions)\/\d+\/)[^/]+/, "$1…")

/** Throws a refusal if the value cannot be an id, because it could point a path elsewhere. */
export const requireId = (value: unknown, what: string): string => {
  if (isSnowflake(value)) return value
  throw refused(`"${String(value).slice(0, 100)}" is not the id of a Discord ${what}`, {
    reason: "target_invalid",
    remediation: `Use the numeric id of the ${what}: turn on Developer Mode in Discord, then choose Copy ID.`,
  })
}
