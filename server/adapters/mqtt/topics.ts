import {refused} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings, SubscriptionSettings} from "./account.ts"

/** The filter of a shared subscription without `$share/<group>/` (MQTT 5, section 4.8.2). */
const filterOf = (filter: string): string => filter.replace(/^\$share\/[^/]+\//, "")

export const isShared = (filter: string): boolean => filter.startsWith("$share/")

/**
 * What each wildcard of a filter stands for in a topic; undefined where the filter does not match (MQTT 5, section 4.7).
 */
export const matchTopic = (filter: string, topic: string): readonly string[] | undefined => {
  const wanted = filterOf(filter).split("/")
  const levels = topic.split("/")
  // A wildcard at the first level matches no topic of the broker's own.
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

/** The channel of a topic, by the first subscription that matches; undefined where none does. */
export const channelOf = (subscriptions: readonly SubscriptionSettings[], topic: string): string | undefined => {
  for (const {topic: filter, channel} of subscriptions) {
    const found = matchTopic(filter, topic)
    if (found === undefined) continue
    const named = channel?.replace(/\{(\d+)\}/g, (_, number) => found[Number(number) - 1] ?? "")
    return named === undefined || named === "" ? topic : named
  }
  return undefined
}

/** What a request of MQTT 5 wants its answer to have. */
export interface Request {
  readonly responseTopic: string
  readonly correlation?: Buffer
}

/**
 * The channel to the sender of a request. No topic of a message holds a `#`, so what follows it is the correlation data;
 * all of the request is in the name, so that an answer needs nothing that a restart could lose.
 */
export const channelOfRequest = ({responseTopic, correlation}: Request): string =>
  `${responseTopic}#${correlation?.toString("base64url") ?? ""}`

/** Where a message to a channel goes. Throws a refusal where that is no topic. */
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
