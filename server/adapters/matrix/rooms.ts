import {type Channel, channelType} from "../../../shared/sdk/sdk.ts"
import {type Client, isSaid, MatrixError, path} from "./client/client.ts"
import {membershipOf, type RoomEvent} from "./client/event.ts"
import {type Fields, fieldsOf, Recent, textIn, textsIn} from "./client/json.ts"
import {localPart, type Self} from "./client/login.ts"
import {Roles} from "./roles.ts"

/** The place of a message. A thread is its own channel, named by its room and its first event. */
export interface Place {
  readonly channel: Channel
  /** The room; undefined for a direct room. */
  readonly guild?: {readonly id: string; readonly name?: string}
}

/** How long an alias is cached, in milliseconds. */
const aliasAge = 60_000

/** Data about rooms: the client asks once, then state events from a sync update it. */
export class Rooms {
  readonly roles: Roles
  readonly #client: Client
  readonly #self: Self
  readonly #signal: AbortSignal
  readonly #names = new Recent<string | undefined>(2000)
  readonly #encrypted = new Recent<boolean>(2000)
  readonly #members = new Recent<string>(10_000)
  readonly #aliases = new Recent<{readonly room: string; readonly until: number}>(500)
  /** Users by their direct rooms (m.direct). */
  #direct = new Map<string, string>()

  constructor(client: Client, self: Self, signal: AbortSignal) {
    this.#client = client
    this.#self = self
    this.#signal = signal
    this.roles = new Roles(client, signal)
  }

  /** Stores the content of the account's `m.direct`. */
  setDirect(content: Fields): void {
    this.#direct = new Map(
      Object.keys(content).flatMap(user => textsIn(content, user).map(room => [room, user] as const)),
    )
  }

  isDirect(room: string): boolean {
    return this.#direct.has(room)
  }

  directWith(user: string): readonly string[] {
    return [...this.#direct].filter(([, with_]) => with_ === user).map(([room]) => room)
  }

  /** Adds a room to `m.direct`, as clients do. */
  async addDirect(room: string, user: string): Promise<void> {
    this.#direct.set(room, user)
    const route = path`/client/v3/user/${this.#self.id}/account_data/m.direct`
    const signal = this.#signal
    const content = await this.#client.ask("GET", route, {signal}).catch(error => {
      if (isSaid(error, "M_NOT_FOUND")) return {}
      throw error
    })
    const rooms = new Set([...textsIn(content, user), room])
    await this.#client.ask("PUT", route, {body: {...content, [user]: [...rooms]}, signal})
  }

  /** Updates the cache from a state event. */
  learn(room: string, event: RoomEvent): void {
    const {type, stateKey, content} = event
    if (type === "m.room.name" || type === "m.room.canonical_alias") this.#names.delete(room)
    else if (type === "m.room.power_levels") this.roles.learn(room, content)
    else if (type === "m.room.encryption") this.#encrypted.set(room, true)
    else if (type === "m.room.member" && stateKey !== undefined && membershipOf(event) === "join")
      this.#members.set(`${room} ${stateKey}`, nameIn(content, stateKey))
  }

  /** Removes a room that the bot has left. */
  forget(room: string): void {
    this.#names.delete(room)
    this.#encrypted.delete(room)
    this.roles.forget(room)
  }

  async place(room: string, thread?: string): Promise<Place> {
    const isDirect = this.isDirect(room)
    const name = isDirect ? undefined : await this.#nameOf(room)
    const named = name === undefined ? {} : {name}
    const id = thread === undefined ? room : `${room}/${thread}`
    const channel = {id, type: isDirect ? channelType.direct : channelType.text, ...named}
    return isDirect ? {channel} : {channel, guild: {id: room, ...named}}
  }

  /** Returns a user's name in a room. */
  async memberName(room: string, user: string): Promise<string> {
    const key = `${room} ${user}`
    const known = this.#members.get(key)
    if (known !== undefined) return known
    const content = await this.#state(room, "m.room.member", user)
    const name = nameIn(content ?? {}, user)
    this.#members.set(key, name)
    return name
  }

  async isEncrypted(room: string): Promise<boolean> {
    const known = this.#encrypted.get(room)
    if (known !== undefined) return known
    const isEncrypted = (await this.#state(room, "m.room.encryption")) !== undefined
    this.#encrypted.set(room, isEncrypted)
    return isEncrypted
  }

  /** Returns the room with this id or alias, and the thread in it. Throws `MatrixError` for an unknown alias. */
  async find(channel: string, signal: AbortSignal): Promise<{readonly room: string; readonly thread?: string}> {
    const slash = channel.indexOf("/$")
    const [name, thread] = slash < 0 ? [channel] : [channel.slice(0, slash), channel.slice(slash + 1)]
    const room = name.startsWith("#") ? await this.#roomOf(name, signal) : name
    return thread === undefined ? {room} : {room, thread}
  }

  async #roomOf(alias: string, signal: AbortSignal): Promise<string> {
    const known = this.#aliases.get(alias)
    if (known !== undefined && known.until > Date.now()) return known.room
    const room = textIn(await this.#client.ask("GET", path`/client/v3/directory/room/${alias}`, {signal}), "room_id")
    if (room === undefined) throw new Error(`the homeserver returned no room for ${alias}`)
    this.#aliases.set(alias, {room, until: Date.now() + aliasAge})
    return room
  }

  async #nameOf(room: string): Promise<string | undefined> {
    const known = this.#names.get(room)
    if (known !== undefined) return known === "" ? undefined : known
    const name = textIn((await this.#state(room, "m.room.name")) ?? {}, "name")
    const alias = name ? undefined : textIn((await this.#state(room, "m.room.canonical_alias")) ?? {}, "alias")
    this.#names.set(room, name || alias || "")
    return name || alias || undefined
  }

  /** Returns undefined if there is no such state, or the bot may not read it. */
  async #state(room: string, type: string, key = ""): Promise<Fields | undefined> {
    const route = path`/client/v3/rooms/${room}/state/${type}/${key}`
    return this.#client.ask("GET", route, {signal: this.#signal}).then(fieldsOf, error => {
      if (error instanceof MatrixError && error.status < 429 && error.status !== 401) return undefined
      throw error
    })
  }
}

const nameIn = (content: Fields, user: string): string => textIn(content, "displayname")?.trim() || localPart(user)
