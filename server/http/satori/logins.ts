import {fromJson, toJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {SatoriEvent, User} from "../../../shared/sdk/content/satori.ts"
import type {Database} from "../../database/database.ts"
import {readMeta, setMeta} from "../../database/state/meta.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {EndpointState} from "../../endpoints/state.ts"
import {isForwarded} from "./asking.ts"
import {type KnownLogin, type LoginChange, loginStatus} from "./protocol/protocol.ts"

interface Remembered {
  readonly platform: string
  readonly user: User
}

/** Methods that the Host answers for every endpoint. */
const features = [
  "login.get",
  "message.create",
  "message.get",
  "channel.get",
  "user.get",
  "user.channel.create",
  "guild.get",
] as const

/** Methods that the Host answers with the acts of an endpoint's adapter. */
const methodsOf: Readonly<Record<string, string>> = {
  edit: "message.update",
  delete: "message.delete",
  history: "message.list",
  react: "reaction.create",
  unreact: "reaction.delete",
  files: "upload.create",
}

const key = "satori_logins"

/**
 * Presents the endpoints as logins with their identity on the platform. The database stores each endpoint's last
 * identity, so that after a restart a client can see a login and send through it before the endpoint connects.
 */
export class Logins {
  readonly #database: Database
  readonly #log: Log
  readonly #endpoints: Pick<Endpoints, "list">
  #remembered = new Map<string, Remembered>()
  readonly #numbers = new Map<string, number>()
  #shown: readonly KnownLogin[] = []

  constructor(database: Database, log: Log, endpoints: Pick<Endpoints, "list">) {
    this.#database = database
    this.#log = log
    this.#endpoints = endpoints
  }

  /** Call it before the first `refresh`. */
  async load(): Promise<void> {
    // Only `#store` writes it.
    const stored: Record<string, Remembered> = fromJson((await readMeta(this.#database, key)) ?? "{}")
    this.#remembered = new Map(Object.entries(stored))
  }

  /** Returns the logins of the current endpoints, as the last `refresh` found them. */
  list(): readonly KnownLogin[] {
    return this.#shown
  }

  find(platform: string, user: string): KnownLogin | undefined {
    return this.#shown.find(login => login.platform === platform && login.user.id === user)
  }

  /** Returns the current login of an event's endpoint, or the stored one if the endpoint no longer exists. */
  ofEvent(endpoint: string, stored: SatoriEvent["login"]): KnownLogin {
    const known = this.#shown.find(login => login.endpoint === endpoint)
    if (known !== undefined) return known
    const user = stored.user ?? {id: endpoint}
    return {
      endpoint,
      sn: this.#number(`${endpoint} ${stored.platform} ${user.id}`),
      adapter: stored.platform,
      platform: stored.platform,
      user,
      status: loginStatus.offline,
      features: [],
      downloads: false,
    }
  }

  /** Reads the endpoints again and returns the changes. */
  refresh(): readonly LoginChange[] {
    const before = this.#shown
    this.#remember()
    this.#shown = this.#show()
    return compare(before, this.#shown)
  }

  #remember(): void {
    let isNew = false
    for (const {spec, login, state} of this.#endpoints.list()) {
      if (login === undefined && state.is !== "online") continue
      const platform = login?.platform ?? spec.slot
      const user = login?.user ?? {id: spec.name}
      const old = this.#remembered.get(spec.name)
      if (old?.platform === platform && toJson(old.user) === toJson(user)) continue
      this.#remembered.set(spec.name, {platform, user})
      isNew = true
    }
    if (isNew) this.#store()
  }

  #store(): void {
    const value = toJson(Object.fromEntries(this.#remembered))
    this.#database.write([setMeta(key, value)]).catch(error => {
      this.#log.warn(`could not store the names of the endpoints for the next start: ${messageOf(error)}`, {error})
    })
  }

  /** Of endpoints with one platform and user, the second gets its name as platform: clients tell logins by these. */
  #show(): readonly KnownLogin[] {
    const taken = new Set<string>()
    return this.#endpoints.list().flatMap(({spec, state}): KnownLogin[] => {
      const known = this.#remembered.get(spec.name)
      if (known === undefined) return []
      const identity = toJson([known.platform, known.user.id])
      const platform = taken.has(identity) ? spec.name : known.platform
      taken.add(identity)
      const acts = spec.features.flatMap(feature => methodsOf[feature] ?? [])
      return [
        {
          endpoint: spec.name,
          sn: this.#number(`${spec.name} ${platform} ${known.user.id}`),
          adapter: spec.slot,
          platform,
          user: known.user,
          status: statuses[state.is],
          downloads: spec.features.includes("download"),
          features: [...new Set([...features, ...acts, ...spec.features.filter(isForwarded)])],
        },
      ]
    })
  }

  #number(identity: string): number {
    const number = this.#numbers.get(identity) ?? this.#numbers.size + 1
    this.#numbers.set(identity, number)
    return number
  }
}

const statuses: Record<EndpointState["is"], number> = {
  idle: loginStatus.offline,
  connecting: loginStatus.connecting,
  online: loginStatus.online,
  reconnecting: loginStatus.reconnecting,
  offline: loginStatus.offline,
  failed: loginStatus.offline,
}

const compare = (before: readonly KnownLogin[], after: readonly KnownLogin[]): readonly LoginChange[] => {
  const old = new Map(before.map(login => [login.sn, login]))
  const now = new Set(after.map(({sn}) => sn))
  return [
    ...before.filter(({sn}) => !now.has(sn)).map((login): LoginChange => ({type: "login-removed", login})),
    ...after.flatMap((login): LoginChange[] => {
      const earlier = old.get(login.sn)
      if (earlier === undefined) return [{type: "login-added", login}]
      return toJson(earlier) === toJson(login) ? [] : [{type: "login-updated", login}]
    }),
  ]
}
