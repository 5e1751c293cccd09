import type {IConnackPacket, MqttClient} from "mqtt"
import type {DatedIncoming, Endpoint} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings, SubscriptionSettings} from "./account.ts"
import type {Place} from "./place.ts"
import {subscribeError} from "./reasons.ts"
import {isShared} from "./topics.ts"

/** Updates the broker's session to the configured subscriptions. Throws a refusal if the broker rejects one. */
export const subscribe = async (
  client: MqttClient,
  connack: IConnackPacket,
  account: AccountSettings,
  place: Place,
  endpoint: Endpoint<DatedIncoming>,
): Promise<void> => {
  const {clientId, subscribe: wanted = []} = account
  const {before} = place
  const isOurs = before?.clientId === clientId
  tellSession(connack, account, endpoint, isOurs)
  const filters = wanted.map(({topic}) => topic)
  const known = isOurs && connack.sessionPresent ? before.filters : []
  const gone = known.filter(filter => !filters.includes(filter))
  // Stored before the broker changes, so that a killed Host never forgets a subscription on the broker.
  await remember(endpoint, place.subscribed([...filters, ...gone]))
  const hasIdentifiers = connack.properties?.subscriptionIdentifiersAvailable !== false
  for (const [index, subscription] of wanted.entries())
    await subscribeTo(client, subscription, account, hasIdentifiers ? index + 1 : undefined)
  if (gone.length === 0) return
  await client.unsubscribeAsync([...gone])
  await remember(endpoint, place.subscribed(filters))
}

/** Throws a refusal or an error if the broker rejects the subscription. */
export const subscribeTo = async (
  client: MqttClient,
  {topic, qos = 1, retained = true}: SubscriptionSettings,
  account: AccountSettings,
  identifier?: number,
): Promise<void> => {
  const properties = identifier === undefined ? {} : {properties: {subscriptionIdentifier: identifier}}
  // `nl` (no local) on a shared subscription is a protocol error (MQTT 5, section 3.8.3.1).
  const options = {
    qos: qos === 0 ? 0 : 1,
    nl: !isShared(topic),
    rap: false,
    rh: retained ? 1 : 2,
    ...properties,
  } as const
  await client.subscribeAsync(topic, options).catch(error => {
    throw subscribeError(error, topic, account)
  })
}

const tellSession = (
  {sessionPresent, properties}: IConnackPacket,
  {clientId, session = 604_800}: AccountSettings,
  {log}: Endpoint<DatedIncoming>,
  isOurs: boolean,
): void => {
  const kept = properties?.sessionExpiryInterval
  if (kept !== undefined && kept < session) log.warn(`the broker keeps messages for ${kept} s, not for ${session} s`)
  if (properties?.maximumQoS === 0) log.warn("the broker has no QoS 1: it redelivers nothing and may lose messages")
  if (isOurs && !sessionPresent)
    log.warn(`the broker no longer has the session of ${clientId}: messages sent in the meantime are lost`)
}

/** While ingress is paused this stores nothing. The next connection stores it. */
const remember = async (endpoint: Endpoint<DatedIncoming>, cursor: string): Promise<void> => {
  if (cursor === endpoint.cursor) return
  await endpoint.receive([], {cursor}).catch(error => endpoint.log.debug("could not store the session", {error}))
}
