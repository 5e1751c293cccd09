import {setTimeout as sleep} from "node:timers/promises"
import type * as Mqtt from "mqtt"
import type {IClientOptions, IConnackPacket, MqttClient} from "mqtt"
import type {DatedIncoming, Endpoint, Sender} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {watchKept} from "./kept.ts"
import {Place} from "./place.ts"
import {connectError, reasons} from "./reasons.ts"
import {receiveFrom} from "./receive.ts"
import {createSend, publish} from "./send.ts"
import {subscribe} from "./session.ts"

/** The timeouts for the broker's answer and for closing, in milliseconds. */
const patience = {connect: 30_000, close: 1000} as const

/** The most messages that a broker delivers without an acknowledgement. */
const unacknowledged = 20

/** The largest packet if the account names none, in bytes. */
const largestPacket = 1_048_576

/** How much may arrive with the end of a packet, in bytes. */
const readAhead = 1_048_576

/** Connects and subscribes. Throws a refusal if the broker rejects the client permanently. */
export const connect = async (account: AccountSettings, endpoint: Endpoint<DatedIncoming>): Promise<Sender> => {
  const client = await createClient(account, endpoint, keptSession(account))
  endpoint.defer(() => close(client, account.status === undefined ? 0 : disconnectWithWill))
  const place = new Place(endpoint.cursor, account.clientId)
  receiveFrom(client, account, place, endpoint, watchKept(client, unacknowledged))
  const connack = await connected(client, account, endpoint.signal)
  tellLoss(client, account, endpoint)
  await subscribe(client, connack, account, place, endpoint)
  const {clientId, status} = account
  if (status !== undefined)
    await publish(
      client,
      {topic: status.topic, payload: status.online ?? "online", retain: true},
      account,
      endpoint.signal,
    )
  endpoint.login({platform: "mqtt", user: {id: clientId, name: clientId, is_bot: true}, status: 1})
  return {send: createSend(client, connack, account, endpoint.signal)}
}

/** The reason code of a DISCONNECT after which the broker publishes the last will (MQTT 5, section 3.14.2.1). */
const disconnectWithWill = 4

/** Creates a client that is not connected yet. */
export const createClient = async (
  {url, username, password, verify = true}: AccountSettings,
  {load}: Pick<Endpoint, "load">,
  session: IClientOptions,
): Promise<MqttClient> => {
  const loaded = await load<typeof Mqtt & {readonly default?: typeof Mqtt}>("mqtt")
  const {connect: create} = loaded.default ?? loaded
  const client = create(url, {
    protocolVersion: 5,
    manualConnect: true,
    reconnectPeriod: 0,
    connectTimeout: patience.connect,
    keepalive: 30,
    rejectUnauthorized: verify,
    ...(username === undefined ? {} : {username}),
    ...(password === undefined ? {} : {password: password.reveal()}),
    ...session,
  })
  // Without a listener, an error would end the Host.
  client.on("error", () => {})
  return client
}

const keptSession = (account: AccountSettings): IClientOptions => {
  const {clientId, session = 604_800, maximumPacket = largestPacket, status} = account
  return {
    clientId,
    clean: false,
    properties: {
      sessionExpiryInterval: session,
      receiveMaximum: unacknowledged,
      maximumPacketSize: maximumPacket,
    },
    ...(status === undefined
      ? {}
      : {will: {topic: status.topic, payload: Buffer.from(status.offline ?? "offline"), qos: 1, retain: true}}),
  }
}

/** Connects. Resolves once the broker has accepted the client. */
export const connected = (client: MqttClient, account: AccountSettings, signal: AbortSignal): Promise<IConnackPacket> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(connectError(error, account))
    client.once("error", fail)
    client.once("close", () => fail(new Error("the connection was closed")))
    client.once("connect", packet => resolve(packet))
    signal.addEventListener("abort", () => fail(new Error("the endpoint is closing")), {once: true})
    client.connect()
    boundPackets(client)
  })

/** Cuts the connection if the broker sends a packet that is larger than the client has allowed. */
const boundPackets = (client: MqttClient): void => {
  const most = (client.options.properties?.maximumPacketSize ?? largestPacket) + readAhead
  let open = 0
  client.on("packetreceive", () => {
    open = 0
  })
  client.stream.on("data", ({length}: Buffer) => {
    open += length
    if (open <= most) return
    client.emit("error", new Error(`the broker sent a packet of more than ${most} bytes`))
    client.stream.destroy()
  })
}

const tellLoss = (client: MqttClient, {clientId}: AccountSettings, endpoint: Endpoint<DatedIncoming>): void => {
  let why = "the broker closed the connection"
  client.on("disconnect", ({reasonCode = 0, properties}) => {
    const said = properties?.reasonString ?? `reason code ${reasonCode}`
    why =
      reasonCode === reasons.takenOver
        ? `another client has connected with the clientId ${clientId}: give each client a different one`
        : `the broker ended the connection: ${said}`
  })
  client.on("error", ({message}) => {
    why = `the connection failed: ${message}`
  })
  client.on("close", () => endpoint.lost(new Error(why)))
}

/** Resolves once the connection is closed. */
export const close = async (client: MqttClient, reasonCode = 0): Promise<void> => {
  client
    .removeAllListeners("close")
    .removeAllListeners("error")
    .on("error", () => {})
  if (client.connected) {
    const ended = new AbortController()
    client.end(false, {reasonCode}, () => ended.abort())
    await sleep(patience.close, undefined, {signal: ended.signal}).catch(() => {})
  }
  client.end(true)
  client.stream?.destroy()
}
