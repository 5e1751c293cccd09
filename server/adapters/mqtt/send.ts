import type {IConnackPacket, MqttClient} from "mqtt"
import {refused, type Sender, textOf} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {writePayload} from "./payload.ts"
import {publishError} from "./reasons.ts"
import {addressOf} from "./topics.ts"

/** Resolves once the broker has acknowledged the message; with QoS 0, once it is written. */
export const createSend =
  (client: MqttClient, connack: IConnackPacket, account: AccountSettings, closed: AbortSignal): Sender["send"] =>
  async ({id, channel, content}, signal) => {
    const {responseTopic: topic, correlation} = addressOf(channel, account)
    const payload = writePayload({id, user: account.clientId, text: textOf(content)}, account.payload)
    requireSize(topic, payload, connack)
    const properties = {
      userProperties: {id, user: account.clientId},
      contentType: account.payload?.format === "json" ? "application/json" : "text/plain; charset=utf-8",
      payloadFormatIndicator: true,
      ...(correlation === undefined ? {} : {correlationData: correlation}),
    }
    await publish(client, {topic, payload, properties}, account, AbortSignal.any([signal, closed]))
    return {ids: [id]}
  }

interface Publication {
  readonly topic: string
  readonly payload: string
  readonly retain?: boolean
  readonly properties?: NonNullable<Parameters<MqttClient["publish"]>[2]>["properties"]
}

/** Throws a refusal if the broker rejects the message permanently. */
export const publish = async (
  client: MqttClient,
  {topic, payload, retain = false, properties}: Publication,
  account: AccountSettings,
  signal: AbortSignal,
): Promise<void> => {
  if (!client.connected) throw new Error("the connection is closed")
  const options = {qos: account.qos === 0 ? 0 : 1, retain, ...(properties === undefined ? {} : {properties})} as const
  const taken = client.publishAsync(topic, payload, options).catch(error => {
    throw publishError(error, topic, account)
  })
  await Promise.race([taken, aborted(signal)])
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const fail = () => reject(new Error("the broker did not acknowledge the message; it may have arrived"))
    if (signal.aborted) fail()
    else signal.addEventListener("abort", fail, {once: true})
  })

/** The size of a PUBLISH without topic and payload, in bytes: more than this adapter writes. */
const frame = 1024

/** A broker disconnects a client that sends a larger packet (MQTT 5, section 3.2.2.3.6). */
const requireSize = (topic: string, payload: string, {properties}: IConnackPacket): void => {
  const most = properties?.maximumPacketSize
  const size = Buffer.byteLength(topic) + Buffer.byteLength(payload) + frame
  if (most === undefined || size <= most) return
  throw refused(`the message has ${size} bytes; the broker accepts ${most}`, {
    reason: "too_large",
    remediation: "Send a smaller message, or raise the broker's maximum packet size.",
  })
}
