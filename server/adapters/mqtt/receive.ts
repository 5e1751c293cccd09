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
): void => {
  const copies = new Copies()
  /** Once one message stays unacknowledged, so do all later ones: the broker then redelivers all of them in order. */
  let isHolding = false
  const hold = (error: unknown) => {
    isHolding = true
    endpoint.log.debug("left messages with the broker", {error})
    deliverAgain(endpoint).catch(() => {})
  }
  client.handleMessage = (packet, done) => {
    // After an error, the library sends no acknowledgement and continues to read.
    const keep = () => done(new Error("left with the broker"))
    if (isHolding) return keep()
    const {topic} = packet
    const last = place.valueOf(topic)
    const delivery = toEvent(packet, account, {last})
    if (delivery === undefined) {
      endpoint.log.debug(`a message to ${topic} matches no subscription`)
      return done()
    }
    const {event, value} = delivery
    const isCopy = () => isShadowed(topic, account) && copies.isCopy(value ?? "", packet, Date.now())
    if (value !== undefined && (packet.retain ? value === last : isCopy())) {
      endpoint.log.debug(`skipped a message to ${topic} that was received before`)
      return done()
    }
    const isNews = value !== undefined && value !== last
    endpoint.receive(event, isNews ? {cursor: place.noting(topic, value)} : {}).then(
      () => {
        if (isNews) place.note(topic, value)
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
  /** A hash of what it says, for a message without an id. */
  readonly value: string | undefined
}

/**
 * Returns undefined for a topic that matches no subscription of the configuration. `last` is the value of the topic's
 * last message. An id counts together with what it says, because devices give constant ids, or start over.
 */
export const toEvent = (
  packet: IPublishPacket,
  account: AccountSettings,
  {last, now = Date.now()}: {readonly last?: string | undefined; readonly now?: number} = {},
): Delivery | undefined => {
  const {topic, retain, qos} = packet
  const bytes = Buffer.from(packet.payload)
  const channel = channelOf(account.subscribe ?? [], topic)
  if (channel === undefined) return undefined
  const properties = {...packet.properties?.userProperties}
  const property = (name: string) =>
    [Object.hasOwn(properties, name) ? properties[name] : undefined].flat()[0] || undefined
  const said = readPayload(bytes, account.payload)
  const given = said?.id ?? property("id")
  const {responseTopic = "", correlationData = ""} = packet.properties ?? {}
  const hash = hashOf(topic, property("user") ?? "", responseTopic, correlationData, bytes).slice(0, 16)
  const value = given === undefined ? hash : undefined
  const id = given === undefined ? newId(packet, bytes, last) : `${topic} ${given} ${hash}`
  const data = {topic, retain, qos, userProperties: properties}
  if (said === undefined) {
    const text = textOfBytes(bytes)
    const payload = text === undefined || text.includes("\0") ? {base64: bytes.toString("base64")} : {payload: text}
    const raw = {type: "publish", data: {...data, ...payload}}
    const event = {id, type: "internal", timestamp: now, channel: {id: channel, type: channelType.text}, raw}
    return {event, value}
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
  return {event, value}
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
