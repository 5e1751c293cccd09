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

/** How long until the Host is asked again whether it takes events, in milliseconds. */
const admission = {first: 500, longest: 5000} as const

/** Set before the client connects: the library acknowledges by itself what comes before. */
export const receiveFrom = (client: MqttClient, account: AccountSettings, endpoint: Endpoint<DatedIncoming>): void => {
  /** Once a message was left unacknowledged, so are those behind it: the broker delivers all of them again, in order. */
  let isHolding = false
  const hold = (error: unknown) => {
    isHolding = true
    endpoint.log.debug("left messages with the broker", {error})
    deliverAgain(endpoint).catch(() => {})
  }
  client.handleMessage = (packet, done) => {
    // The library sends no acknowledgement where this ends with an error, and reads on.
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

/** A broker delivers what was not acknowledged when the client connects, so this ends the connection once the Host takes events. */
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

/** Undefined for a topic that no subscription of the configuration matches. */
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
 * MQTT names no message beyond one delivery. A retained one is told apart by what it says, so that a new session of the
 * broker does not repeat it.
 */
const newId = ({topic, retain}: IPublishPacket, bytes: Buffer): string =>
  retain ? `retained ${createHash("sha256").update(`${topic}\0`).update(bytes).digest("hex")}` : randomUUID()

/** A request is said to the bot alone: its answer goes to the response topic. */
const requestOf = ({topic, properties}: IPublishPacket, {answers = []}: AccountSettings) => {
  const responseTopic = properties?.responseTopic
  if (responseTopic === undefined || !answers.some(filter => matchTopic(filter, responseTopic) !== undefined))
    return undefined
  const correlation = properties?.correlationData
  const id = channelOfRequest({responseTopic, ...(correlation === undefined ? {} : {correlation})})
  return {id, name: topic, type: channelType.direct}
}
