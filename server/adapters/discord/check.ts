import type {AdapterFinding, CheckTools} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./api/account.ts"
import {type Api, createApi, type RestLibrary, Unauthorized} from "./api/api.ts"
import {numberIn, type Payload, payloadOf, payloadsOf, textIn} from "./api/payload.ts"
import {intentRemedy, portal, privilegedOf, tokenRemedy} from "./gateway/explain.ts"

/** The flags of an application with privileged intents: in full, or for fewer than 100 servers. */
export const intentFlags = {guild_members: (1 << 14) | (1 << 15), message_content: (1 << 18) | (1 << 19)} as const

/**
 * The permissions that a bot needs in a server for everything the adapter can do, except moderation (Discord:
 * Permissions).
 */
const permissions = {
  "View Channels": 1n << 10n,
  "Send Messages": 1n << 11n,
  "Embed Links": 1n << 14n,
  "Attach Files": 1n << 15n,
  "Read Message History": 1n << 16n,
  "Add Reactions": 1n << 6n,
  "Send Messages in Threads": 1n << 38n,
} as const

const administrator = 1n << 3n

/** The most servers that the check examines one by one. */
const mostGuilds = 200

/** Asks Discord whether the account works. Throws if it cannot reach Discord. */
export const check = async (
  account: AccountSettings,
  {load, signal}: CheckTools,
): Promise<readonly AdapterFinding[]> => {
  const api = createApi(await load<RestLibrary>("@discordjs/rest"), account)
  try {
    const me = payloadOf(await api.ask("GET", "/users/@me", {}, signal))
    const application = payloadOf(await api.ask("GET", "/applications/@me", {}, signal))
    return [
      {what: "credentials", ok: true, detail: `the bot ${textIn(me, "username") ?? ""} (${textIn(me, "id") ?? ""})`},
      ...applicationFindings(account, application),
      ...(await gatewayFindings(api, signal)),
      ...(await guildFindings(api, application, signal)),
    ]
  } catch (error) {
    if (!(error instanceof Unauthorized)) throw error
    return [{what: "credentials", ok: false, detail: "Discord rejected the token", remediation: tokenRemedy}]
  } finally {
    api.close()
  }
}

const applicationFindings = (account: AccountSettings, application: Payload): readonly AdapterFinding[] => {
  const flags = numberIn(application, "flags") ?? 0
  const id = textIn(application, "id") ?? ""
  const key = textIn(application, "verify_key")?.toLowerCase()
  const address = textIn(application, "interactions_endpoint_url")
  const {applicationId, publicKey} = account
  return [
    ...privilegedOf(account).map(name => ({
      what: `intent ${name}`,
      ok: (flags & intentFlags[name]) !== 0,
      detail: (flags & intentFlags[name]) === 0 ? "not turned on" : "turned on",
      remediation: intentRemedy([name]),
    })),
    ...(applicationId === undefined
      ? []
      : [
          {
            what: "applicationId",
            ok: applicationId === id,
            remediation: `Set applicationId to ${id}, or leave it out.`,
          },
        ]),
    ...(publicKey === undefined
      ? []
      : [
          {
            what: "publicKey",
            ok: publicKey.toLowerCase() === key,
            remediation: `Set publicKey to ${key ?? "what the portal shows as Public Key"}.`,
          },
        ]),
    {
      what: "interactions",
      ok: address === undefined || publicKey !== undefined,
      detail: address === undefined ? "by the gateway" : `by signed HTTP, to ${address}`,
      remediation: `Set publicKey, or clear Interactions Endpoint URL at ${portal}/${id}/information.`,
    },
  ]
}

const gatewayFindings = async (api: Api, signal: AbortSignal): Promise<readonly AdapterFinding[]> => {
  const about = payloadOf(await api.ask("GET", "/gateway/bot", {}, signal))
  const {remaining, total} = payloadOf(about.session_start_limit)
  const shards = numberIn(about, "shards") ?? 1
  return [
    {
      what: "sessions left today",
      ok: Number(remaining) > 0,
      detail: `${String(remaining)} of ${String(total)}`,
      remediation: "Wait until tomorrow, and find out why the bot restarts so often.",
    },
    {
      what: "one connection is enough",
      // Discord recommends more from 1,000 servers on, and requires it from 2,500 on.
      ok: shards <= 2,
      detail: `Discord recommends ${shards}`,
      remediation: "svc opens one connection: a bot in more than 2,500 servers cannot run on it.",
    },
  ]
}

const guildFindings = async (
  api: Api,
  application: Payload,
  signal: AbortSignal,
): Promise<readonly AdapterFinding[]> => {
  const guilds = payloadsOf(await api.ask("GET", "/users/@me/guilds", {query: {limit: String(mostGuilds)}}, signal))
  const invitation = invitationOf(application)
  if (guilds.length === 0)
    return [{what: "servers", ok: false, detail: "the bot is in no server", remediation: `Invite it: ${invitation}`}]
  return guilds.map(guild => {
    const has = permissionsOf(guild)
    const missing = Object.entries(permissions).flatMap(([name, bit]) => ((has & bit) === 0n ? [name] : []))
    return {
      what: `permissions in ${textIn(guild, "name") ?? textIn(guild, "id") ?? "a server"}`,
      ok: missing.length === 0,
      ...(missing.length === 0 ? {} : {detail: `missing: ${missing.join(", ")}`}),
      remediation: `Give the bot's role the missing permissions under Server Settings, Roles; or invite it again: ${invitation}`,
    }
  })
}

/** Returns the address with which an administrator of a server invites the bot, with all permissions that it needs. */
export const invitationOf = (application: Payload): string => {
  const all = Object.values(permissions).reduce((sum, bit) => sum | bit, 0n)
  return `https://discord.com/oauth2/authorize?client_id=${textIn(application, "id") ?? ""}&scope=bot+applications.commands&permissions=${all}`
}

const permissionsOf = (guild: Payload): bigint => {
  const written = textIn(guild, "permissions") ?? ""
  const has = /^\d+$/.test(written) ? BigInt(written) : 0n
  return guild.owner === true || (has & administrator) !== 0n ? ~0n : has
}
