import type * as WebApi from "@slack/web-api"
import type {AdapterFinding, CheckTools, Refusal} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./api/account.ts"
import {appToken, clientOptions, failureOf, openApi, whereScopes} from "./api/api.ts"
import {payloadOf, textIn} from "./api/payload.ts"

/** The bot token's required scopes and their uses (https://docs.slack.dev/reference/scopes). */
const needed: Readonly<Record<string, string>> = {
  "chat:write": "to send, edit and delete messages",
  "app_mentions:read": "to receive mentions",
  "channels:history": "to receive messages of public channels",
  "groups:history": "to receive messages of private channels",
  "im:history": "to receive direct messages",
  "mpim:history": "to receive group direct messages",
  "im:write": "to open direct messages",
  "reactions:read": "to receive reactions",
  "reactions:write": "to react",
  "files:read": "to read files",
  "files:write": "to send files",
  "users:read": "to look up the names and languages of users",
}

/** Scopes that are needed for a single act each. */
const optional: Readonly<Record<string, string>> = {
  "channels:read": "guild.member.list and joins of public channels",
  "groups:read": "guild.member.list and joins of private channels",
  "channels:manage": "guild.member.kick in public channels",
  "groups:write": "guild.member.kick in private channels",
  commands: "slash commands",
}

/** Asks Slack about the tokens of an account. Requests a connection address, but does not connect. */
export const check = async (
  account: AccountSettings,
  {load, signal}: Pick<CheckTools, "load" | "signal">,
): Promise<readonly AdapterFinding[]> => {
  const ask = await openApi(account, load)
  const findings: AdapterFinding[] = []
  try {
    const who = await ask("auth.test", {}, signal)
    const [user = "", team = ""] = [textIn(who, "user"), textIn(who, "team")]
    findings.push({what: "credentials", ok: true, detail: `${user} in the workspace ${team}`}, kindOf(who.bot_id))
    findings.push(...scopesIn(payloadOf(who.response_metadata).scopes))
  } catch (error) {
    findings.push(findingOf("credentials", error))
  }
  findings.push(await ways(account, {load, signal}), ...secretsOf(account))
  return findings
}

const kindOf = (bot: unknown): AdapterFinding => ({
  what: "bot token",
  ok: typeof bot === "string",
  remediation: "Use the Bot User OAuth Token (xoxb-…) instead of a user's token.",
})

/** Returns a finding for each missing scope. */
export const scopesIn = (scopes: unknown): readonly AdapterFinding[] => {
  if (!Array.isArray(scopes)) return [{what: "scopes", ok: true, detail: "Slack does not list the token's scopes"}]
  const given = new Set<unknown>(scopes)
  const without = (of: typeof needed) => Object.entries(of).filter(([scope]) => !given.has(scope))
  const missing = without(needed).map(([scope, use]) => ({
    what: `scope ${scope}`,
    ok: false,
    detail: `missing; the bot needs it ${use}`,
    remediation: `Add ${scope} ${whereScopes}`,
  }))
  const left = without(optional).map(([scope, use]) => `${scope} (${use})`)
  const detail = left.length === 0 ? "all" : `all required ones; optional ones not granted: ${left.join(", ")}`
  return missing.length > 0 ? missing : [{what: "scopes", ok: true, detail}]
}

const ways = async (
  account: AccountSettings,
  {load, signal}: Pick<CheckTools, "load" | "signal">,
): Promise<AdapterFinding> => {
  const what = "events"
  const {appToken: token, signingSecret} = account
  if (token === undefined)
    return {
      what,
      ok: signingSecret !== undefined,
      detail: signingSecret === undefined ? "the account has neither appToken nor signingSecret" : "by HTTP",
      remediation: "Give the account appToken for Socket Mode, or signingSecret for events by HTTP.",
    }
  const {WebClient} = await load<typeof WebApi>("@slack/web-api")
  const client = new WebClient(token.reveal(), clientOptions(account, signal))
  try {
    await client.apps.connections.open({})
    return {what, ok: true, detail: "by Socket Mode"}
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return findingOf(what, failureOf(error, "apps.connections.open", appToken))
  }
}

/** Slack cannot confirm a signing secret, but its format is known. */
const secretsOf = ({signingSecret}: AccountSettings): readonly AdapterFinding[] =>
  signingSecret === undefined || /^[0-9a-f]{32}$/.test(signingSecret.reveal())
    ? []
    : [
        {
          what: "signing secret",
          ok: false,
          detail: "it does not have 32 hexadecimal digits",
          remediation: "Copy the Signing Secret from Basic Information of the app, not its Client Secret.",
        },
      ]

/** Returns Slack's refusal as a finding. Rethrows any other error, such as a failed connection. */
const findingOf = (what: string, error: unknown): AdapterFinding => {
  const {reason, remediation, message} = error as Partial<Refusal>
  if (reason === undefined || remediation === undefined) throw error
  return {what, ok: false, detail: message ?? reason, remediation}
}
