import {randomUUID} from "node:crypto"
import type {Child, Element} from "@xmpp/client"
import {unlessAborted} from "./stream/abort.ts"
import {failureIn} from "./stream/failures.ts"
import {ns} from "./stream/names.ts"
import type {Session} from "./stream/session.ts"

/** So many of the bot's messages are known by their id. */
const most = 2000

interface Waiting {
  readonly resolve: (id: string) => void
  readonly reject: (error: Error) => void
}

/** What the bot writes, and what became of it. */
export class Outbound {
  readonly #session: Session
  readonly #waiting = new Map<string, Waiting>()
  /** Messages that have arrived, by the id that the bot gave them: the id that they have in svc. */
  readonly #arrived = new Map<string, string>()

  constructor(session: Session) {
    this.#session = session
  }

  /** Under which id a message of the bot arrived, as far as this connection knows. */
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
   * Sends a message to a room, and resolves to the id that the room gives it once it has come back from there.
   * Throws `StanzaFailure`.
   */
  toRoom(room: string, id: string, children: readonly Child[], signal: AbortSignal): Promise<string> {
    return this.#post(room, "groupchat", id, children, signal, () => undefined)
  }

  /**
   * Sends a message to one person, and resolves once the account's server has dealt with it: what it refuses by itself
   * is known then, what another server refuses later is not. Throws `StanzaFailure`.
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

  /** Writes, and waits for nothing. */
  async tell(to: string, type: "chat" | "groupchat", children: readonly Child[]): Promise<void> {
    const {xml} = this.#session
    await this.#session.send(xml("message", {to, type, id: randomUUID()}, ...children))
  }
}
