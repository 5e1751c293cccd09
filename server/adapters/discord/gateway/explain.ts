import {refused} from "../../../../shared/sdk/sdk.ts"
import {type AccountSettings, type Intent, intentBits, privilegedIntents} from "../api/account.ts"
import {Unauthorized} from "../api/api.ts"
import {GatewayClosed} from "./gateway.ts"

export const portal = "https://discord.com/developers/applications"

/** The remedy for a rejected token. */
export const tokenRemedy = `Set the variable that token names to the bot's token: ${portal}, your application, Bot, Reset Token.`

const isPrivileged = (name: Intent): name is keyof typeof privilegedIntents => Object.hasOwn(privilegedIntents, name)

/** Returns the intents of an account that must be turned on in the portal. */
export const privilegedOf = ({intents}: AccountSettings) =>
  (intents ?? (Object.keys(intentBits) as Intent[]).filter(name => name !== "guild_members")).filter(isPrivileged)

export const intentRemedy = (names: readonly (keyof typeof privilegedIntents)[]): string => {
  const switches = names.map(name => privilegedIntents[name]).join(" and ")
  return `Turn on ${switches} at ${portal}, your application, Bot; or remove ${names.join(" and ")} from intents.`
}

/** Returns a refusal for errors that no retry can fix, and any other error unchanged. */
export const explainEnd = (error: unknown, account: AccountSettings): Error => {
  if (error instanceof Unauthorized)
    return refused("Discord rejected the token", {
      passing: !error.isDiscords,
      reason: "credentials",
      remediation: tokenRemedy,
    })
  if (!(error instanceof GatewayClosed)) return error instanceof Error ? error : new Error(String(error))
  switch (error.code) {
    case 4004:
      return refused("Discord rejected the token (4004)", {reason: "credentials", remediation: tokenRemedy})
    case 4010:
    case 4011:
      return refused("Discord requires sharding, which svc does not support (4011)", {
        reason: "sharding",
        remediation: "A bot in more than 2,500 servers needs several connections: remove it from some servers.",
      })
    case 4012:
      return refused("Discord no longer supports version 10 of its gateway (4012)", {
        reason: "version",
        remediation: "Update svc.",
      })
    case 4013:
      return refused("Discord does not know one of the intents (4013)", {
        reason: "intents",
        remediation: "Correct intents in the account; without the key, svc requests the usual ones.",
      })
    case 4014:
      return refused("the application may not use all the intents it requests (4014)", {
        reason: "intents",
        remediation: intentRemedy(privilegedOf(account)),
      })
    default:
      return error
  }
}
