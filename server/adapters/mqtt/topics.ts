import {refused} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings, SubscriptionSettings} from "./account.ts"

/** The filter of a shared subscription without `$share/<group>/` (MQTT 5, section 4.8.2). */
const filterOf = (filter: string): string => filter.replace(/^\$share\/[^/]+\//, "")

export const isShared = (filter: string): boolean => filter.startsWith("$share/")

/** Returns the match of each wildcard in a topic; undefined if the filter does not match (MQTT 5, section 4.7). */
export const matchTopic = (filter: string, topic: string): readonly string[] | undefined => {
  const wanted = filterOf(filter).split("/")
  const levels = topic.split("/")
  // A wildcard at the first level does not match the broker's own topics.
  if (topic.startsWith("$") && /^[+#]/.test(wanted[0] ?? "")) return undefined
  const found: string[] = []
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return [...found, levels.slice(index).join("/")]
    const here = levels[index]
    if (here === undefined || (level !== "+" && level !== here)) return undefined
    if (level === "+") found.push(here)
  }
  return levels.length === wanted.length ? found : undefined
}

/** Returns the channel of a topic, from the first subscription that matches; undefined if none does. */
export const channelOf = (subscriptions: readonly SubscriptionSettings[], topic: string): string | undefined => {
  for (const {topic: filter, channel} of subscriptions) {
    const found = matchTopic(filter, topic)
    if (found === undefined) continue
    const named = channel?.replace(/\{(\d+)\}/g, (_, number) => found[Number(number) - 1] ?? "")
    return named === undefined || named === "" ? topic : named
  }
  return undefined
}

/** The address for the answer to an MQTT 5 request. */
export interface Request {
  readonly responseTopic: string
  readonly correlation?: Buffer
}

/**
 * Returns the channel to the sender of a request. A topic cannot contain `#`, so the correlation data follows it. The
 * name contains the whole request, so that an answer needs no data that a restart could lose.
 */
export const channelOfRequest = ({responseTopic, correlation}: Request): string =>
  `${responseTopic}#${correlation?.toString("base64url") ?? ""}`

/** Returns the address of a message for a channel. Throws a refusal if it is not a topic. */
export const addressOf = (channel: string, {publish = "{channel}", answers = []}: AccountSettings): Request => {
  const [responseTopic = "", correlation] = channel.split("#", 2)
  const isRequest = correlation !== undefined
  if (isRequest && !answers.some(filter => matchTopic(filter, responseTopic) !== undefined))
    throw refused(`"${responseTopic}" is not a topic for answers`, {
      reason: "target_invalid",
      remediation: "Add a filter that matches it to answers in the account.",
    })
  const topic = isRequest ? responseTopic : publish.replaceAll("{channel}", () => channel)
  if (!/^[^+#\0]+$/.test(topic) || Buffer.byteLength(topic) > 65_535)
    throw refused(`"${topic.slice(0, 200)}" is not a topic to publish to`, {
      reason: "target_invalid",
      remediation: "Send to a channel without + and #.",
    })
  return correlation === undefined || correlation === ""
    ? {responseTopic: topic}
    : {responseTopic: topic, correlation: Buffer.from(correlation, "base64url")}
}
