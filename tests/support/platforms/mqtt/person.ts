import mqtt, {type IClientPublishOptions, type IPublishPacket, type MqttClient} from "mqtt"
import {until} from "../../host/process.ts"
import {whenOver} from "../../host/shared.ts"
import {type Broker, passwords} from "./mosquitto.ts"

export interface HeardPacket extends IPublishPacket {
  /** The time of arrival, in milliseconds since 1970. */
  readonly at: number
}

/** Another client of the broker, which keeps what it receives. */
export interface Person {
  readonly client: MqttClient
  readonly heard: readonly HeardPacket[]
  textsOf(topic: string): readonly string[]
  say(topic: string, payload: string | Buffer, options?: Partial<IClientPublishOptions>): Promise<void>
  hears(topic: string, text?: string): Promise<HeardPacket>
}

/** Connects, and subscribes to these topics. It reconnects if the broker restarts. */
export const joinBroker = async (broker: Broker, topics: readonly string[] = []): Promise<Person> => {
  const heard: HeardPacket[] = []
  const client = mqtt.connect(broker.url, {
    protocolVersion: 5,
    clientId: `ann-${Math.random().toString(36).slice(2)}`,
    username: "ann",
    password: passwords.ann,
    clean: false,
    properties: {sessionExpiryInterval: 3600},
    reconnectPeriod: 50,
  })
  client.on("error", () => {})
  client.on("message", (_topic, _payload, packet) => heard.push({...packet, at: Date.now()}))
  whenOver(() => client.end(true))
  await until("the person at the broker", () => client.connected)
  if (topics.length > 0) await client.subscribeAsync([...topics], {qos: 1, nl: true})
  const matching = (topic: string, text?: string) =>
    heard.filter(packet => packet.topic === topic && (text === undefined || packet.payload.toString() === text))
  return {
    client,
    heard,
    textsOf: topic => matching(topic).map(({payload}) => payload.toString()),
    say: async (topic, payload, options = {}) => void (await client.publishAsync(topic, payload, {qos: 1, ...options})),
    hears: (topic, text) => until(`${text ?? "a message"} in ${topic}`, () => matching(topic, text).at(-1)),
  }
}

/** Ends the session that the broker stores for a client, by connecting under its id. */
export const endSession = async ({url}: Broker, clientId: string): Promise<void> => {
  const options = {protocolVersion: 5, clientId, username: "ann", password: passwords.ann, clean: true} as const
  await (await mqtt.connectAsync(url, {...options, reconnectPeriod: 0})).endAsync()
}
