import {channelType, refused} from "../../../shared/sdk/sdk.ts"

/** The one guild of the sandbox. Every group channel belongs to it. */
export const guild = {id: "sandbox", name: "Sandbox"} as const

export interface GuildChannel {
  readonly id: string
  readonly type: number
  readonly name: string
}

export interface Role {
  readonly id: string
  readonly name: string
}

interface Member {
  /** Milliseconds since 1970. */
  readonly joinedAt: number
  readonly roles: ReadonlySet<string>
}

/** Members, channels and roles of the guild, and who may write. In memory, until the Host stops. */
export class Guild {
  readonly #channels = new Map<string, GuildChannel>()
  readonly #roles = new Map<string, Role>()
  readonly #members = new Map<string, Member>()
  readonly #banned = new Set<string>()
  /** Until when users and channels are muted, in milliseconds since 1970. */
  readonly #mutedUsers = new Map<string, number>()
  readonly #mutedChannels = new Map<string, number>()
  /** The ids created for rows of the outbox, so that a retry creates nothing new. */
  readonly #made = new Map<string, string>()

  readonly #now: () => number

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.enter("bot")
  }

  /** Adds a user and a channel when the user writes there. */
  enter(user: string, channel?: string): void {
    if (!this.#members.has(user)) this.#members.set(user, {joinedAt: this.#now(), roles: new Set()})
    if (channel !== undefined && !this.#channels.has(channel)) this.#addChannel(channel, channelType.text, channel)
  }

  /** Returns why a user may not write in a channel; undefined if the user may. */
  whySilent(user: string, channel: string): string | undefined {
    if (this.#banned.has(user)) return `${user} was banned from the sandbox`
    if (this.#isLater(this.#mutedUsers.get(user))) return `${user} is muted in the sandbox`
    return this.#isLater(this.#mutedChannels.get(channel)) ? `${channel} is muted in the sandbox` : undefined
  }

  channels(): readonly GuildChannel[] {
    return [...this.#channels.values()]
  }

  channel(id: string): GuildChannel {
    return found(this.#channels.get(id), "channel", id)
  }

  /** Creates one channel per `row`, and returns the same one for the same row. */
  createChannel(row: string, name: string, type: number): GuildChannel {
    const id = this.#makeOnce(row, () => this.#addChannel(unused(name, this.#channels), type, name).id)
    return this.channel(id)
  }

  renameChannel(id: string, name: string): void {
    this.#channels.set(id, {...this.channel(id), name})
  }

  /** A channel that no longer exists counts as deleted. */
  deleteChannel(id: string): void {
    this.#channels.delete(id)
  }

  /** A duration of 0 `milliseconds` unmutes. */
  muteChannel(id: string, milliseconds: number): void {
    this.#mutedChannels.set(this.channel(id).id, this.#now() + milliseconds)
  }

  members(): readonly string[] {
    return [...this.#members.keys()]
  }

  member(user: string): Member {
    return found(this.#members.get(user), "member", user)
  }

  /** A user who is no longer a member counts as removed. `forGood` bans the user. */
  kick(user: string, forGood: boolean): void {
    this.#members.delete(user)
    if (forGood) this.#banned.add(user)
  }

  /** A duration of 0 `milliseconds` unmutes. */
  mute(user: string, milliseconds: number): void {
    this.#mutedUsers.set(user, this.#now() + milliseconds)
  }

  roles(): readonly Role[] {
    return [...this.#roles.values()]
  }

  rolesOf(user: string): readonly Role[] {
    const {roles} = this.member(user)
    return this.roles().filter(({id}) => roles.has(id))
  }

  /** Creates one role per `row`, and returns the same one for the same row. */
  createRole(row: string, name: string): Role {
    const id = this.#makeOnce(row, () => {
      const made = {id: unused(name, this.#roles), name}
      this.#roles.set(made.id, made)
      return made.id
    })
    return this.#role(id)
  }

  renameRole(id: string, name: string): void {
    this.#roles.set(id, {...this.#role(id), name})
  }

  /** A role that no longer exists counts as deleted. */
  deleteRole(id: string): void {
    this.#roles.delete(id)
  }

  giveRole(user: string, role: string): void {
    const {joinedAt, roles} = this.member(user)
    this.#members.set(user, {joinedAt, roles: new Set([...roles, this.#role(role).id])})
  }

  takeRole(user: string, role: string): void {
    const {joinedAt, roles} = this.member(user)
    this.#members.set(user, {joinedAt, roles: new Set([...roles].filter(id => id !== role))})
  }

  #isLater(time = 0): boolean {
    return time > this.#now()
  }

  #role(id: string): Role {
    return found(this.#roles.get(id), "role", id)
  }

  #addChannel(id: string, type: number, name: string): GuildChannel {
    const made = {id, type, name}
    this.#channels.set(id, made)
    return made
  }

  #makeOnce(row: string, make: () => string): string {
    const id = this.#made.get(row) ?? make()
    this.#made.set(row, id)
    return id
  }
}

const found = <T>(value: T | undefined, what: string, id: string): T => {
  if (value !== undefined) return value
  throw refused(`the sandbox has no ${what} ${id}`, {
    reason: `${what}_unknown`,
    remediation: "The sandbox remembers only messages, channels and roles since the Host started.",
  })
}

/** Returns the name as an id, with a number if the id is already in use. */
const unused = (name: string, taken: ReadonlyMap<string, unknown>): string => {
  for (let number = 2, id = name; ; id = `${name}-${number++}`) if (!taken.has(id)) return id
}
