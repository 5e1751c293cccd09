import {randomUUID} from "node:crypto"
import type {Child, Element} from "@xmpp/client"
import {unlessAborted} from "./stream/abort.ts"
import {failureIn} from "./stream/failures.ts"
import {ns} from "./stream/names.ts"
import type {Session} from "./stream/session.ts"

/** The number of the bot's messages that are remembered by id. */
const most = 2000

interface Waiting {
  readonly resolve: (id: string) => void
  readonly reject: (error: Error) => void
}

/** The bot's messages, and whether they arrived. */
export class Outbound {
  readonly #session: Session
  readonly #waiting = new Map<string, Waiting>()
  /** Arrived messages: their id in svc, by the bot's id. */
  readonly #arrived = new Map<string, string>()

  constructor(session: Session) {
    this.#session = session
  }

  /** Returns the id with which a message of the bot arrived, if this connection knows it. */
  arrivedAs(origin: string): string | undefined {
    return this.#arrived.get(origin)
  }

  readonly echoed = (origin: string, id: string): void => {
    const [oldest] = this.#arrived.keys()
    if (this.#arrived.size >= most && oldest !== undefined) this.#arrived.delete(oldest)
    this.#arrived.set(origin, id)
    this.#waiting.get(origin)?.resolve(id)
  }

  readonly bounced = (stanza: Element): void => {
    this.#waiting.get(stanza.attrs.id ?? "")?.reject(failureIn(stanza))
  }

  /**
   * Sends a message to a room. Resolves to the room's id for it, once the room has sent it back. Throws
   * `StanzaFailure`.
   */
  toRoom(room: string, id: string, children: readonly Child[], signal: AbortSignal): Promise<string> {
    return this.#post(room, "groupchat", id, children, signal, () => undefined)
  }

  /**
   * Sends a message to one person. Resolves once the account's server has processed it: its own refusals are known
   * then, later refusals by another server are not. Throws `StanzaFailure`.
   */
  toPerson(jid: string, id: string, children: readonly Child[], signal: AbortSignal): Promise<string> {
    return this.#post(jid, "chat", id, children, signal, () => this.#session.fence(signal).then(() => id))
  }

  async #post(
    to: string,
    type: "chat" | "groupchat",
    id: string,
    children: readonly Child[],
    signal: AbortSignal,
    confirm: () => Promise<string> | undefined,
  ): Promise<string> {
    const {xml} = this.#session
    const answer = new Promise<string>((resolve, reject) => this.#waiting.set(id, {resolve, reject}))
    answer.catch(() => {})
    try {
      const origin = xml("origin-id", {xmlns: ns.sid, id})
      await this.#session.send(xml("message", {to, type, id}, ...children, origin))
      const confirmed = confirm()
      const settled = confirmed === undefined ? answer : Promise.race([answer, confirmed])
      return await unlessAborted(settled, signal, this.#session.ended)
    } finally {
      this.#waiting.delete(id)
    }
  }

  /** Sends without waiting for an answer. */
  async tell(to: string, type: "chat" | "groupchat", children: readonly Child[]): Promise<void> {
    const {xml} = this.#session
    await this.#session.send(xml("message", {to, type, id: randomUUID()}, ...children))
  }
}
