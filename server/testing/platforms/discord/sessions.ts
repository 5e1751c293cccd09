import type {Peer} from "crossws"
import {until} from "../../asking.ts"
import {guild} from "./world.ts"

export interface Packet {
  readonly op: number
  readonly d?: unknown
  readonly t?: string
  readonly s?: number
}

export const op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const

interface Bot {
  readonly id: string
  readonly username: string
}

/** The bot of a token: `bot-<id>…` has that id, and `wrong…` is invalid. */
export const botOf = (token: string): Bot | undefined => {
  if (token.startsWith("wrong")) return undefined
  const [, id = "999"] = /^bot-(\d+)/.exec(token) ?? []
  return {id, username: id === "999" ? "test-bot" : `bot${id}`}
}

/** What a new session hears after READY. */
const begun = {
  ...guild,
  channels: guild.channels.filter(({type}) => type !== 11),
  threads: guild.channels.filter(({type}) => type === 11),
  joined_at: "2024-01-01T00:00:00Z",
}

interface Session {
  readonly id: string
  readonly bot: Bot
  readonly intents: number
  readonly past: Packet[]
  sequence: number
  peer: Peer | undefined
  /** The number of the last event that the client has confirmed. */
  confirmed: number
}

const contentIntent = 1 << 15
const privileged = (1 << 1) | (1 << 8) | contentIntent

/** The intent that a session needs for an event, in a server and in a direct channel. */
const needed: Readonly<Record<string, readonly [guild: number, direct: number]>> = {
  MESSAGE_CREATE: [1 << 9, 1 << 12],
  MESSAGE_UPDATE: [1 << 9, 1 << 12],
  MESSAGE_DELETE: [1 << 9, 1 << 12],
  MESSAGE_REACTION_ADD: [1 << 10, 1 << 13],
  MESSAGE_REACTION_REMOVE: [1 << 10, 1 << 13],
  MESSAGE_POLL_VOTE_ADD: [1 << 24, 1 << 25],
  GUILD_MEMBER_ADD: [1 << 1, 1 << 1],
  GUILD_MEMBER_REMOVE: [1 << 1, 1 << 1],
  GUILD_CREATE: [1, 1],
}

/** The sessions of the fake's gateway, which outlive their connections. */
export class Sessions {
  readonly #sessions = new Map<string, Session>()
  readonly #peers = new Set<Peer>()
  url = ""
  identified = 0
  resumed = 0
  /** Whether the privileged intents are off. */
  areIntentsOff = false
  /** Whether the gateway leaves heartbeats unanswered. */
  isSilent = false
  isHanging = false

  get connections(): number {
    return this.#peers.size
  }

  open(peer: Peer): void {
    this.#peers.add(peer)
    if (!this.isHanging) tell(peer, {op: op.hello, d: {heartbeat_interval: 41_250}})
  }

  /** Like Discord, forgets a session that its client closed with 1000 or 1001. */
  close(peer: Peer, code: number | undefined): void {
    this.#peers.delete(peer)
    for (const session of this.#sessions.values()) {
      if (session.peer !== peer) continue
      session.peer = undefined
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id)
    }
  }

  hear(peer: Peer, packet: Packet): void {
    if (this.isHanging) return
    if (packet.op === op.heartbeat && !this.isSilent) tell(peer, {op: op.heartbeatAck})
    for (const session of this.#sessions.values())
      if (packet.op === op.heartbeat && session.peer === peer) session.confirmed = Number(packet.d)
    if (packet.op === op.identify) this.#identify(peer, packet.d as {token: string; intents: number})
    if (packet.op === op.resume) this.#resume(peer, packet.d as {token: string; session_id: string; seq: number})
  }

  dispatch(t: string, d: Readonly<Record<string, unknown>>): void {
    for (const session of this.#sessions.values()) this.#dispatch(session, t, d)
  }

  /** Resolves once a client has received all events: it answers a heartbeat request with the last one's number. */
  async confirm(): Promise<void> {
    const sequences = [...this.#sessions.values()].map(session => [session, session.sequence] as const)
    for (const [{peer}] of sequences) if (peer !== undefined) tell(peer, {op: op.heartbeat})
    const isBehind = () => sequences.some(([session, sequence]) => session.confirmed < sequence)
    await until("the bot to answer", 30_000, () => !isBehind())
  }

  /** Forgets all sessions, and tells the connected ones. */
  forget(): void {
    for (const {peer} of this.#sessions.values()) if (peer !== undefined) tell(peer, {op: op.invalidSession, d: false})
    this.#sessions.clear()
  }

  /** Asks the connected clients to reconnect. */
  move(): void {
    this.all({op: op.reconnect})
  }

  all(packet: Packet | string): void {
    for (const peer of this.#peers)
      if (typeof packet === "string") peer.send(packet)
      else tell(peer, packet)
  }

  /** Breaks the connections silently, or closes them with a code. */
  cut(code?: number): void {
    for (const peer of [...this.#peers]) {
      if (code === undefined) peer.terminate()
      else peer.close(code)
    }
  }

  #identify(peer: Peer, {token, intents}: {token: string; intents: number}): void {
    const bot = botOf(token)
    if (bot === undefined || (this.areIntentsOff && (intents & privileged) !== 0)) {
      peer.close(bot === undefined ? 4004 : 4014)
      return
    }
    const id = `session-${++this.identified}`
    const session = {id, bot, intents, past: [], sequence: 0, peer, confirmed: 0}
    this.#sessions.set(id, session)
    const user = {id: bot.id, username: bot.username, discriminator: "0", global_name: null, avatar: null, bot: true}
    const ready = {
      v: 10,
      user,
      guilds: [{id: "500", unavailable: true}],
      session_id: id,
      resume_gateway_url: this.url,
      application: {id: bot.id, flags: 0},
    }
    this.#dispatch(session, "READY", ready)
    this.#dispatch(session, "GUILD_CREATE", begun)
  }

  #resume(peer: Peer, {token, session_id, seq}: {token: string; session_id: string; seq: number}): void {
    const bot = botOf(token)
    const session = this.#sessions.get(session_id)
    if (bot !== undefined && session?.bot.id !== bot.id) tell(peer, {op: op.invalidSession, d: false})
    if (bot === undefined || (session !== undefined && seq > session.sequence))
      peer.close(bot === undefined ? 4004 : 4007)
    if (bot === undefined || session?.bot.id !== bot.id || seq > session.sequence) return
    this.resumed++
    session.peer?.close(4000)
    session.peer = peer
    for (const packet of session.past) if ((packet.s ?? 0) > seq) tell(peer, packet)
    tell(peer, {op: op.dispatch, t: "RESUMED", s: ++session.sequence, d: {}})
  }

  #dispatch(session: Session, t: string, d: Readonly<Record<string, unknown>>): void {
    const bit = needed[t]?.[d.guild_id === undefined ? 1 : 0] ?? 0
    if (bit !== 0 && (session.intents & bit) === 0) return
    const isHidden = t === "MESSAGE_CREATE" && d.guild_id !== undefined && (session.intents & contentIntent) === 0
    const packet = {op: op.dispatch, t, s: ++session.sequence, d: isHidden ? {...d, content: "", attachments: []} : d}
    session.past.push(packet)
    if (session.peer !== undefined && !this.isHanging) tell(session.peer, packet)
  }
}

const tell = (peer: Peer, packet: Packet): void => void peer.send(JSON.stringify(packet))
