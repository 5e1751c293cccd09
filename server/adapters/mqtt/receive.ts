import {randomUUID} from "node:crypto"
import {setTimeout as sleep} from "node:timers/promises"
import type {IPublishPacket, MqttClient} from "mqtt"
import {
  channelType,
  type DatedIncoming,
  type Endpoint,
  isProblem,
  pauseAfter,
  renderContent,
} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {Copies} from "./copies.ts"
import {readPayload, textOfBytes} from "./payload.ts"
import {hashOf, type Place} from "./place.ts"
import {channelOf, channelOfRequest, matchTopic} from "./topics.ts"

/** The pauses before the adapter asks the Host again whether it accepts events, in milliseconds. */
const admission = {first: 500, longest: 5000} as const

/** Set this before the client connects: the library acknowledges earlier messages on its own. */
export const receiveFrom = (
  client: MqttClient,
  account: AccountSettings,
  place: Place,
  endpoint: Endpoint<DatedIncoming>,
  isKept: () => boolean,
): void => {
  const copies = new Copies()
  /** Once one message stays unacknowledged, so do all later ones: the broker then redelivers all of them in order. */
  let isHolding = false
  const hold = (error: unknown) => {
    isHolding = true
    endpoint.log.debug("left messages with the broker", {error})
    deliverAgain(endpoint).catch(() => {})
  }
  let hasTold = false
  /** Neither the broker nor the subscriptions explain this repeat: a device may give all its messages one id. */
  const tell = (topic: string) => {
    if (!hasTold)
      endpoint.log.warn(`a message to ${topic} has the id and content of the one before, so it counts as a repeat`, {
        remediation: "If senders reuse ids, set payload.id to a key that they do not send.",
      })
    hasTold = true
  }
  client.handleMessage = (packet, done) => {
    // After an error, the library sends no acknowledgement and continues to read.
    const keep = () => done(new Error("left with the broker"))
    if (isHolding) return keep()
    const {topic} = packet
    const delivery = toEvent(packet, account, place)
    if (delivery === undefined) {
      endpoint.log.debug(`a message to ${topic} matches no subscription`)
      return done()
    }
    const {event, hash, subject, value} = delivery
    const last = place.valueOf(subject)
    const isNamed = subject !== topic
    const isCopy = () => isShadowed(topic, account) && copies.isCopy(`${subject} ${hash}`, packet, Date.now())
    if (packet.retain ? value === last && !isNamed : isCopy()) {
      endpoint.log.debug(`skipped a message to ${topic} that was received before`)
      return done()
    }
    // An id is worth a place in the cursor once other content came under it.
    const isWorth = value !== last && (last !== undefined || !isNamed)
    endpoint.receive({...event, isKept: isKept()}, isWorth ? {cursor: place.noting(subject, value)} : {}).then(
      ({duplicate}) => {
        if (value !== last) place.note(subject, value, isWorth)
        if (duplicate && !packet.dup && !packet.retain && !isShadowed(topic, account)) tell(topic)
        done()
      },
      error => {
        if (isProblem(error, "event_invalid")) {
          endpoint.log.error(`dropped a message to ${topic}: ${error.message}`, {error})
          return done()
        }
        hold(error)
        keep()
      },
    )
  }
}

/**
 * Ends the connection once the Host accepts events, because a broker redelivers unacknowledged messages only on a new
 * connection.
 */
const deliverAgain = async (endpoint: Endpoint<DatedIncoming>): Promise<void> => {
  for (let attempts = 1; ; attempts++) {
    await sleep(pauseAfter(attempts, admission), undefined, {signal: endpoint.signal})
    try {
      await endpoint.receive([])
      break
    } catch (error) {
      endpoint.log.debug("the Host accepts no events yet", {error})
    }
  }
  endpoint.lost(new Error("reconnecting, so that the broker delivers the messages it kept"))
}

/** Do several subscriptions match a topic? */
const isShadowed = (topic: string, {subscribe = []}: AccountSettings): boolean =>
  subscribe.filter(({topic: filter}) => matchTopic(filter, topic) !== undefined).length > 1

interface Delivery {
  readonly event: DatedIncoming
  /** A hash of what it says. */
  readonly hash: string
  /** The topic, with the sender's id if there is one. */
  readonly subject: string
  /** The value of the subject from now on: the hash, and what tells the event from an earlier one with this hash. */
  readonly value: string
}

/**
 * Returns undefined for a topic that matches no subscription of the configuration. Devices give constant ids, or start
 * over: a message is a repeat if the one before under its id says the same.
 */
export const toEvent = (
  packet: IPublishPacket,
  account: AccountSettings,
  place: Pick<Place, "valueOf"> = {valueOf: () => undefined},
  now = Date.now(),
): Delivery | undefined => {
  const {topic, retain, qos} = packet
  const bytes = Buffer.from(packet.payload)
  const channel = channelOf(account.subscribe ?? [], topic)
  if (channel === undefined) return undefined
  const properties = {...packet.properties?.userProperties}
  const property = (name: string) => {
    const [first] = [Object.hasOwn(properties, name) ? properties[name] : undefined].flat()
    return typeof first === "string" && first !== "" ? first : undefined
  }
  const said = readPayload(bytes, account.payload)
  const given = said?.id ?? property("id")
  const {responseTopic = "", correlationData = ""} = packet.properties ?? {}
  const hash = hashOf(topic, property("user") ?? "", responseTopic, correlationData, bytes).slice(0, 16)
  const subject = given === undefined ? topic : `${topic} ${given}`
  const last = place.valueOf(subject)
  const isSame = last === undefined || last.startsWith(hash)
  const value = given === undefined ? hash : isSame ? (last ?? hash) : `${hash} ${randomUUID().slice(0, 8)}`
  const id = given === undefined ? newId(packet, bytes, last) : `${subject} ${value}`
  const data = {topic, retain, qos, userProperties: properties}
  if (said === undefined) {
    const text = textOfBytes(bytes)
    const payload = text === undefined || text.includes("\0") ? {base64: bytes.toString("base64")} : {payload: text}
    const raw = {type: "publish", data: {...data, ...payload}}
    const event = {id, type: "internal", timestamp: now, channel: {id: channel, type: channelType.text}, raw}
    return {event, hash, subject, value}
  }
  const user = said.user ?? property("user") ?? topic
  const event = {
    id,
    type: "message-created",
    timestamp: now,
    channel: requestOf(packet, account) ?? {id: channel, name: channel, type: channelType.text},
    user: {id: user, name: user},
    message: {id, content: renderContent(said.text.replaceAll("\0", ""))},
    raw: {type: "publish", data},
  }
  return {event, hash, subject, value}
}

/**
 * An MQTT message has no id beyond one delivery. The retained message of an unknown topic gets an id from its content, so
 * that a new session does not repeat it.
 */
const newId = ({topic, retain}: IPublishPacket, bytes: Buffer, last: string | undefined): string =>
  retain && last === undefined ? `retained ${hashOf(topic, bytes)}` : randomUUID()

/** A request goes only to the bot, so its channel is direct: the answer goes to the response topic. */
const requestOf = ({topic, properties}: IPublishPacket, {answers = []}: AccountSettings) => {
  const responseTopic = properties?.responseTopic
  if (responseTopic === undefined || !answers.some(filter => matchTopic(filter, responseTopic) !== undefined))
    return undefined
  const correlation = properties?.correlationData
  const id = channelOfRequest({responseTopic, ...(correlation === undefined ? {} : {correlation})})
  return {id, name: topic, type: channelType.direct}
}
