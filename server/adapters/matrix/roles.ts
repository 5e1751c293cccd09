import {type Client, path} from "./client/client.ts"
import {type Fields, fieldsIn, fieldsOf, Recent, textIn, textsIn} from "./client/json.ts"

/** How long an event waits for the power levels of its room, in milliseconds. */
const patience = 3000

/** The pause after the homeserver did not return them, in milliseconds. */
const pause = 60_000

interface Powers {
  /** The content of `m.room.power_levels`. */
  readonly levels: Fields
  /** From room version 12 on, these users have more power than any level. */
  readonly creators: readonly string[]
  /** When to ask again, by `performance.now()`. */
  readonly until: number
}

/** The roles in rooms by power levels: the client asks once, then state events from a sync update them. */
export class Roles {
  readonly #client: Client
  readonly #signal: AbortSignal
  readonly #rooms = new Recent<Powers>(2000)

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  /** Stores the content of a new `m.room.power_levels`. */
  learn(room: string, levels: Fields): void {
    const known = this.#rooms.get(room)
    if (known !== undefined) this.#rooms.set(room, {...known, levels})
  }

  forget(room: string): void {
    this.#rooms.delete(room)
  }

  /** Returns a user's roles; none if the homeserver does not return the power levels in time. */
  async of(room: string, user: string): Promise<readonly string[]> {
    const known = this.#rooms.get(room)
    const powers = known !== undefined && performance.now() < known.until ? known : await this.#load(room)
    if (powers !== known) this.#rooms.set(room, powers)
    return rolesBy(powers, user)
  }

  async #load(room: string): Promise<Powers> {
    const get = async (route: string) =>
      fieldsOf(await this.#client.ask("GET", route, {signal: this.#signal, patience}))
    try {
      const levels = await get(path`/client/v3/rooms/${room}/state/m.room.power_levels/`)
      return {levels, creators: await creatorsOf(room, get), until: Number.POSITIVE_INFINITY}
    } catch {
      return {levels: {}, creators: [], until: performance.now() + pause}
    }
  }
}

/** From room version 12 on, a room's id is that of its first event, without a server. */
const creatorsOf = async (room: string, get: (route: string) => Promise<Fields>): Promise<readonly string[]> => {
  if (room.includes(":")) return []
  const creation = await get(path`/client/v3/rooms/${room}/event/${`$${room.slice(1)}`}`)
  return [textIn(creation, "sender") ?? "", ...textsIn(fieldsIn(creation, "content"), "additional_creators")]
}

/** Levels above a role's include the role. Clients call 50 a moderator and 100 an administrator. */
const rolesBy = ({levels, creators}: Powers, user: string): readonly string[] => {
  const isCreator = creators.includes(user)
  // Older room versions allow levels as text.
  const level = isCreator ? 100 : Number(fieldsIn(levels, "users")[user] ?? levels.users_default ?? 0)
  return [...(isCreator ? ["creator"] : []), ...(level >= 100 ? ["admin"] : []), ...(level >= 50 ? ["moderator"] : [])]
}
