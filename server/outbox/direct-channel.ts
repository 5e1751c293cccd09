import {refused} from "../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../shared/sdk/adapter/sender.ts"

/** The direct channels that each connection has opened, by user. */
const opened = new WeakMap<Sender, Map<string, string>>()

/** Returns the channel of a user's direct messages. Asks the platform once for each connection. */
export const directChannel = async (sender: Sender, user: string, signal: AbortSignal): Promise<string> => {
  const known = opened.get(sender) ?? new Map<string, string>()
  opened.set(sender, known)
  const found = known.get(user)
  if (found !== undefined) return found
  if (sender.open === undefined) {
    throw refused("the endpoint opens no direct channels", {
      reason: "unsupported",
      remediation: "Send to a channel instead of a user.",
    })
  }
  const {id} = await sender.open(user, signal)
  known.set(user, id)
  return id
}
