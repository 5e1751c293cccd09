import type {DatedIncoming, Endpoint, Sender} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./client/account.ts"
import {MatrixError} from "./client/client.ts"
import {isTokenRefused, type Logins, tokenRefused} from "./client/login.ts"
import {Translator} from "./events.ts"
import {createHistory} from "./history.ts"
import {Invitations} from "./invitations.ts"
import {download, Uploads} from "./media.ts"
import {createCall, createOpen} from "./members.ts"
import {callOwn} from "./own-methods.ts"
import {Rooms} from "./rooms.ts"
import {createActs} from "./send.ts"
import {cursorOf, follow, look, type Syncing, sinceOf} from "./sync.ts"

/**
 * Logs in and follows the homeserver from the stored place on. Throws a refusal if the homeserver rejects the account.
 */
export const connect = async (
  logins: Logins,
  account: AccountSettings,
  endpoint: Endpoint<DatedIncoming>,
): Promise<Sender> => {
  const {log, signal, unreadable} = endpoint
  const {client, self} = await logins.open(account, endpoint.name, signal)
  const rooms = new Rooms(client, self, signal)
  const shared = {client, self, rooms, log, signal, unreadable}
  const translator = new Translator({...shared, unknown: what => endpoint.unknown(what)})
  const invitations = new Invitations(account.join, shared)
  const syncing: Syncing = {client, self, rooms, translator, invitations, endpoint}
  const now = await look(syncing)
  endpoint.login({platform: "matrix", user: {id: self.id, name: self.name, is_bot: true}, status: 1})
  invitations.joinConfigured()
  void followFrom(syncing, now).catch(error => {
    const isPassword = account.accessToken === undefined
    endpoint.lost(isTokenRefused(error) && !isPassword ? tokenRefused(error) : asError(error))
  })
  const callSatori = createCall({client, rooms})
  return {
    ...createActs({client, self, rooms, uploads: new Uploads(client), endpoint, notices: account.notices ?? false}),
    open: createOpen({client, rooms}),
    call: (method, params, abort, id) => {
      const [name = "", own] = method.split("/")
      return own === undefined ? callSatori(name, params, abort) : callOwn({client, rooms}, own, params, abort, id)
    },
    history: createHistory({client, rooms, translator}),
    download: (file, abort) => download(client, file, abort),
  }
}

/** Follows from the stored place. Messages from before the first connection are not for the bot. */
const followFrom = async (syncing: Syncing, now: string): Promise<never> => {
  const {self, endpoint} = syncing
  const since = sinceOf(self, endpoint.cursor)
  if (since === undefined) {
    await endpoint.receive([], {cursor: cursorOf(self, now)})
    return follow(syncing, now)
  }
  try {
    return await follow(syncing, since)
  } catch (error) {
    if (!isForgotten(error)) throw error
    endpoint.log.error(
      `${endpoint.name}: the homeserver no longer knows the bot's place; messages sent since then are lost`,
      {error},
    )
    await endpoint.receive([], {cursor: cursorOf(self, now)})
    return follow(syncing, now)
  }
}

/** Whether the homeserver lost its state, or was replaced. */
const isForgotten = (error: unknown): boolean =>
  error instanceof MatrixError && error.status === 400 && error.message.startsWith("GET /client/v3/sync:")

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
