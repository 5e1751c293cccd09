import {createHash, randomUUID} from "node:crypto"
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
import {readPayload, textOfBytes} from "./payload.ts"
import {channelOf, channelOfRequest, matchTopic} from "./topics.ts"

/** The pauses before the adapter asks the Host again whether it accepts events, in milliseconds. */
const admission = {first: 500, longest: 5000} as const

/** Set this before the client connects: the library acknowledges earlier messages on its own. */
export const receiveFrom = (client: MqttClient, account: AccountSettings, endpoint: Endpoint<DatedIncoming>): void => {
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
    const event = toEvent(packet, account)
    if (event === undefined) {
      endpoint.log.debug(`a message to ${packet.topic} matches no subscription`)
      return done()
    }
    endpoint.receive(event).then(
      () => done(),
      error => {
        if (isProblem(error, "event_invalid")) {
          endpoint.log.error(`dropped a message to ${packet.topic}: ${error.message}`, {error})
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

/** Returns undefined for a topic that matches no subscription of the configuration. */
export const toEvent = (
  packet: IPublishPacket,
  account: AccountSettings,
  now = Date.now(),
): DatedIncoming | undefined => {
  const {topic, retain, qos} = packet
  const bytes = Buffer.from(packet.payload)
  const channel = channelOf(account.subscribe ?? [], topic)
  if (channel === undefined) return undefined
  const properties = {...packet.properties?.userProperties}
  const property = (name: string) =>
    [Object.hasOwn(properties, name) ? properties[name] : undefined].flat()[0] || undefined
  const said = readPayload(bytes, account.payload)
  const given = said?.id ?? property("id")
  const id = given === undefined ? newId(packet, bytes) : `${topic} ${given}`
  const data = {topic, retain, qos, userProperties: properties}
  if (said === undefined) {
    const text = textOfBytes(bytes)
    const payload = text === undefined || text.includes("\0") ? {base64: bytes.toString("base64")} : {payload: text}
    const raw = {type: "publish", data: {...data, ...payload}}
    return {id, type: "internal", timestamp: now, channel: {id: channel, type: channelType.text}, raw}
  }
  const user = said.user ?? property("user") ?? topic
  return {
    id,
    type: "message-created",
    timestamp: now,
    channel: requestOf(packet, account) ?? {id: channel, name: channel, type: channelType.text},
    user: {id: user, name: user},
    message: {id, content: renderContent(said.text.replaceAll("\0", ""))},
    raw: {type: "publish", data},
  }
}

/**
 * An MQTT message has no id beyond one delivery. A retained message gets an id from its content, so that a new session
 * does not repeat it.
 */
const newId = ({topic, retain}: IPublishPacket, bytes: Buffer): string =>
  retain ? `retained ${createHash("sha256").update(`${topic}\0`).update(bytes).digest("hex")}` : randomUUID()

/** A request goes only to the bot, so its channel is direct: the answer goes to the response topic. */
const requestOf = ({topic, properties}: IPublishPacket, {answers = []}: AccountSettings) => {
  const responseTopic = properties?.responseTopic
  if (responseTopic === undefined || !answers.some(filter => matchTopic(filter, responseTopic) !== undefined))
    return undefined
  const correlation = properties?.correlationData
  const id = channelOfRequest({responseTopic, ...(correlation === undefined ? {} : {correlation})})
  return {id, name: topic, type: channelType.direct}
}
