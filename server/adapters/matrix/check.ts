import type {AdapterFinding, CheckTools} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./client/account.ts"
import {type Client, MatrixError, path} from "./client/client.ts"
import {type Fields, fieldsIn, numberIn, textIn, textsIn} from "./client/json.ts"
import type {Logins, Self} from "./client/login.ts"

/** The most rooms of the bot that are checked. */
const mostRooms = 50

/** Checks the credentials, and for each room whether the bot is in it, may write there, and can read it. */
export const checkAccount = async (
  logins: Logins,
  account: AccountSettings,
  {signal}: CheckTools,
): Promise<readonly AdapterFinding[]> => {
  const {client, self, end} = await logins.visit(account, signal)
  try {
    const joined = textsIn(await client.ask("GET", "/client/v3/joined_rooms", {signal}), "joined_rooms")
    const findings: AdapterFinding[] = [{what: "credentials", ok: true, detail: `logged in as ${self.id}`}]
    const named = Array.isArray(account.join) ? account.join : []
    const found = new Map<string, string>()
    for (const name of named) {
      const room = await findRoom(client, name, signal)
      if (room !== undefined && joined.includes(room)) found.set(room, name)
      else findings.push(notIn(name, self))
    }
    for (const room of joined) if (!found.has(room) && found.size < mostRooms) found.set(room, room)
    for (const [room, name] of found) findings.push(...(await checkRoom(client, self, {room, name}, signal)))
    if (joined.length === 0) findings.push(nowhere(account))
    return findings
  } finally {
    await end()
  }
}

const notIn = (name: string, self: Self): AdapterFinding => ({
  what: `room ${name}`,
  ok: false,
  detail: "the bot is not in it",
  remediation: `Invite ${self.id} to ${name}, or correct join.`,
})

const nowhere = ({join}: AccountSettings): AdapterFinding => {
  const invites = typeof join === "string"
  return {
    what: "rooms",
    ok: invites,
    detail: "the bot is in no room",
    remediation: 'Name rooms in join, or set it to "same-server" or "invited", and invite the bot.',
  }
}

const findRoom = async (client: Client, name: string, signal: AbortSignal): Promise<string | undefined> => {
  if (!name.startsWith("#")) return name
  return textIn((await answered(client, path`/client/v3/directory/room/${name}`, signal)) ?? {}, "room_id")
}

/** Returns undefined if the homeserver does not have it, or does not show it to the bot. */
const answered = (client: Client, route: string, signal: AbortSignal): Promise<Fields | undefined> =>
  client.ask("GET", route, {signal}).catch(error => {
    if (error instanceof MatrixError && error.status < 429 && error.status !== 401) return undefined
    throw error
  })

const checkRoom = async (
  client: Client,
  self: Self,
  {room, name}: {readonly room: string; readonly name: string},
  signal: AbortSignal,
): Promise<readonly AdapterFinding[]> => {
  const state = (type: string) => answered(client, `${path`/client/v3/rooms/${room}/state/${type}`}/`, signal)
  const shown = name === room ? (textIn((await state("m.room.name")) ?? {}, "name") ?? room) : name
  if ((await state("m.room.encryption")) !== undefined)
    return [
      {
        what: `room ${shown}`,
        ok: false,
        detail: "it is encrypted: the bot cannot read or send there",
        remediation: "Use a room without encryption; encryption cannot be turned off again.",
      },
    ]
  const levels = await state("m.room.power_levels")
  const {own, needed} = powerOf(levels ?? {}, self.id)
  return [
    {
      what: `permission to send in ${shown}`,
      ok: own >= needed,
      detail: `power level ${own}; ${needed} is needed`,
      remediation: `Give ${self.id} the power level ${needed} in ${shown}.`,
    },
  ]
}

const powerOf = (levels: Fields, user: string): {readonly own: number; readonly needed: number} => ({
  own: numberIn(fieldsIn(levels, "users"), user) ?? numberIn(levels, "users_default") ?? 0,
  needed: numberIn(fieldsIn(levels, "events"), "m.room.message") ?? numberIn(levels, "events_default") ?? 0,
})
