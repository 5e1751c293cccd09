import {refused, retryAfter} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"

/** Reason codes of MQTT 5, section 2.4, that have a remedy. */
export const reasons = {
  protocolVersion: 0x84,
  clientId: 0x85,
  credentials: 0x86,
  forbidden: 0x87,
  banned: 0x8a,
  method: 0x8c,
  takenOver: 0x8e,
  filter: 0x8f,
  topic: 0x90,
  tooLarge: 0x95,
  tooFast: 0x96,
  quota: 0x97,
  notShared: 0x9e,
  noWildcards: 0xa2,
} as const

/** For subscriptions, the library returns the code only in the packet. */
const codeOf = (
  error: Error & {readonly code?: unknown; readonly packet?: {readonly granted?: readonly unknown[]}},
): number | undefined => {
  const code = error.code ?? error.packet?.granted?.[0]
  return typeof code === "number" ? code : undefined
}

const says = (error: Error): string => error.message.replace(/^(Connection refused|(Subscribe|Publish) error): /, "")

/** Explains why a broker rejected the client. Returns a refusal if a retry would not help. */
export const connectError = (error: Error, {url, clientId, username}: AccountSettings): Error => {
  const code = codeOf(error)
  const told = `the broker refused the client: ${says(error)}`
  if (code === reasons.credentials || code === reasons.forbidden || code === reasons.method)
    return refused(told, {
      reason: "credentials",
      remediation:
        username === undefined
          ? "Set username and password in the account."
          : "Correct username and the variable that password names.",
    })
  if (code === reasons.banned) return refused(told, {reason: "banned", remediation: "Ask the operators of the broker."})
  if (code === reasons.clientId)
    return refused(told, {reason: "client_id", remediation: `Choose another clientId than ${clientId}.`})
  if (code === reasons.protocolVersion)
    return refused(told, {reason: "unsupported", remediation: "Use a broker that speaks MQTT 5."})
  return new Error(`could not reach ${url}: ${says(error)}`, {cause: error})
}

/** Explains why the broker rejected a subscription. */
export const subscribeError = (error: Error, filter: string, {clientId, username}: AccountSettings): Error => {
  const told = `the broker refused to subscribe to ${filter}: ${says(error)}`
  const who = username === undefined ? `the client ${clientId}` : `the user ${username}`
  switch (codeOf(error)) {
    case reasons.forbidden:
      return refused(told, {
        reason: "forbidden",
        remediation: `Allow ${who} to subscribe to ${filter} on the broker, or remove it from subscribe.`,
      })
    case reasons.filter:
    case reasons.notShared:
    case reasons.noWildcards:
      return refused(told, {reason: "unsupported", remediation: `Correct ${filter} in subscribe.`})
    default:
      return new Error(told, {cause: error})
  }
}

/** Explains why the broker rejected a message. */
export const publishError = (error: Error, topic: string, {clientId, username}: AccountSettings): Error => {
  const told = `the broker refused a message to ${topic}: ${says(error)}`
  const who = username === undefined ? `the client ${clientId}` : `the user ${username}`
  switch (codeOf(error)) {
    case reasons.forbidden:
      return refused(told, {
        reason: "forbidden",
        remediation: `Allow ${who} to publish to ${topic} on the broker.`,
      })
    case reasons.topic:
      return refused(told, {reason: "target_invalid", remediation: "Send to another topic."})
    case reasons.tooLarge:
      return refused(told, {reason: "too_large", remediation: "Send a smaller message, or raise the broker's limit."})
    case reasons.tooFast:
    case reasons.quota:
      return retryAfter(5000, told)
    default:
      return new Error(told, {cause: error})
  }
}
