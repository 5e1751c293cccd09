import {refused} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {Client, isSaid, MatrixError, path} from "./client.ts"
import {textIn} from "./json.ts"

/** The bot's own user. */
export interface Self {
  readonly id: string
  readonly name: string
}

export interface LoggedIn {
  readonly client: Client
  readonly self: Self
}

/**
 * Logs accounts in. It keeps a token from a password login while the plugin runs: a reconnect needs no new login, and a
 * check does not invalidate the connection's token.
 */
export class Logins {
  readonly #tokens = new Map<string, string>()

  /** Throws a refusal if the credentials are missing or wrong. */
  async open(account: AccountSettings, endpoint: string, signal: AbortSignal): Promise<LoggedIn> {
    if (account.accessToken !== undefined) return withToken(account, account.accessToken.reveal(), signal)
    const key = keyOf(account)
    const known = this.#tokens.get(key)
    const found = known === undefined ? undefined : await this.#again(account, known, signal)
    if (found !== undefined) return found
    const token = await logIn(account, account.device ?? deviceOf(endpoint), signal)
    this.#tokens.set(key, token)
    return identify(new Client(account.homeserver, token), signal)
  }

  /** Returns undefined if the homeserver has ended the login. */
  async #again(account: AccountSettings, token: string, signal: AbortSignal): Promise<LoggedIn | undefined> {
    try {
      return await identify(new Client(account.homeserver, token), signal)
    } catch (error) {
      if (!isTokenRefused(error)) throw error
      this.#tokens.delete(keyOf(account))
      return undefined
    }
  }

  /** Works like `open`, but for a check: `end` ends a login that the check needed. */
  async visit(account: AccountSettings, signal: AbortSignal): Promise<LoggedIn & {end(): Promise<void>}> {
    const known = account.accessToken?.reveal() ?? this.#tokens.get(keyOf(account))
    const stay = async () => {}
    if (known !== undefined) return {...(await withToken(account, known, signal)), end: stay}
    const client = new Client(account.homeserver, await logIn(account, undefined, signal))
    const end = async () => void (await client.ask("POST", "/client/v3/logout", {body: {}, signal}).catch(() => {}))
    return {...(await identify(client, signal)), end}
  }
}

const keyOf = ({homeserver, user, password}: AccountSettings): string =>
  JSON.stringify([homeserver, user, password?.reveal()])

const deviceOf = (endpoint: string): string => `svc-${endpoint.replace(/[^A-Za-z0-9._~-]/g, "-")}`.slice(0, 64)

const logIn = async (account: AccountSettings, device: string | undefined, signal: AbortSignal): Promise<string> => {
  const {homeserver, user, password} = account
  if (user === undefined || password === undefined) {
    throw refused("the account has neither accessToken nor user and password", {
      reason: "credentials",
      remediation: "Set accessToken, or user and password, in the account, as ${NAME}.",
    })
  }
  const body = {
    type: "m.login.password",
    identifier: {type: "m.id.user", user},
    password: password.reveal(),
    initial_device_display_name: "svc",
    ...(device === undefined ? {} : {device_id: device}),
  }
  const answer = await new Client(homeserver).ask("POST", "/client/v3/login", {body, signal}).catch(error => {
    if (isSaid(error, "M_FORBIDDEN", "M_USER_DEACTIVATED", "M_UNAUTHORIZED", "M_INVALID_USERNAME"))
      throw refused(error.message, {
        reason: "credentials",
        remediation: "Correct user and the variable that password names.",
      })
    if (isSaid(error, "M_UNKNOWN", "M_UNRECOGNIZED") && error.status < 429)
      throw refused(error.message, {
        passing: true,
        reason: "login_unsupported",
        remediation: "The homeserver allows no login with a password: give the account an accessToken.",
      })
    throw error
  })
  const token = textIn(answer, "access_token")
  if (token === undefined) throw new Error("POST /client/v3/login: the homeserver answered without a token")
  return token
}

const isSaidOfToken = (error: unknown) => isSaid(error, "M_UNKNOWN_TOKEN", "M_MISSING_TOKEN", "M_USER_DEACTIVATED")

export const isTokenRefused = (error: unknown): error is MatrixError =>
  isSaidOfToken(error) || (error instanceof MatrixError && error.status === 401)

/** Returns the refusal for a rejected token. */
export const tokenRefused = (error: Error) =>
  refused(error.message, {
    passing: !isSaidOfToken(error),
    reason: "credentials",
    remediation: "Create a new access token for the bot, set the variable that accessToken names to it, then reload.",
    cause: error,
  })

/** Throws a refusal if the homeserver rejects the token. */
export const withToken = (
  {homeserver}: Pick<AccountSettings, "homeserver">,
  token: string,
  signal: AbortSignal,
): Promise<LoggedIn> =>
  identify(new Client(homeserver, token), signal).catch(error => {
    throw isTokenRefused(error) ? tokenRefused(error) : error
  })

const identify = async (client: Client, signal: AbortSignal): Promise<LoggedIn> => {
  const answer = await client.ask("GET", "/client/v3/account/whoami", {signal}).catch(error => {
    throw explained(error, client.homeserver)
  })
  const id = textIn(answer, "user_id")
  if (id === undefined || !/^@[^:]*:.+$/.test(id))
    throw new Error(`${client.homeserver} did not return the bot's user id: is it the address of a homeserver?`)
  const profile = await client
    .ask("GET", path`/client/v3/profile/${id}/displayname`, {signal})
    .catch(error => (error instanceof MatrixError ? {} : Promise.reject(error)))
  const name = textIn(profile, "displayname")?.trim()
  return {client, self: {id, name: name === undefined || name === "" ? localPart(id) : name}}
}

const explained = (error: unknown, homeserver: string): unknown =>
  error instanceof MatrixError && error.code === ""
    ? new Error(`${homeserver} does not answer like a homeserver (status ${error.status}): check homeserver`)
    : error

/** Returns `ann` for `@ann:example.org`. */
export const localPart = (user: string): string => /^@([^:]+):/.exec(user)?.[1] ?? user

/** Returns `example.org` for `@ann:example.org`. */
export const serverOf = (id: string): string => id.slice(id.indexOf(":") + 1)
