import type {IPublishPacket} from "mqtt"

/** Copies of a message arrive one after another: after this many milliseconds, an equal one is another message. */
const apart = 60_000

/** The number of messages whose copies are recognized. */
const mostMessages = 256

interface Equal {
  /** How many equal messages came by each subscription, by its identifier. */
  readonly by: Map<number, number>
  messages: number
  at: number
}

/**
 * Recognizes the further copies of a message that several subscriptions match: a broker may deliver one for each (MQTT 5,
 * section 3.3.4). The first message of a subscription that has delivered fewer equal ones than another is a copy.
 */
export class Copies {
  readonly #equal = new Map<string, Equal>()

  /** `value` is the message's hash. Without identifiers of subscriptions, nothing is a copy. */
  isCopy(value: string, {properties}: IPublishPacket, now: number): boolean {
    const ids = [properties?.subscriptionIdentifier ?? []].flat()
    if (ids.length === 0) return false
    const equal = this.#find(value, now)
    let most = 0
    for (const id of ids) {
      const count = (equal.by.get(id) ?? 0) + 1
      equal.by.set(id, count)
      most = Math.max(most, count)
    }
    const isCopy = most <= equal.messages
    equal.messages = Math.max(most, equal.messages)
    return isCopy
  }

  #find(value: string, now: number): Equal {
    const found = this.#equal.get(value)
    const equal = found !== undefined && now - found.at < apart ? found : {by: new Map(), messages: 0, at: now}
    equal.at = now
    this.#equal.delete(value)
    this.#equal.set(value, equal)
    const [oldest] = this.#equal.keys()
    if (this.#equal.size > mostMessages && oldest !== undefined) this.#equal.delete(oldest)
    return equal
  }
}
