import {fetchWhole, readText, refused, tryParseJson} from "../../../shared/sdk/sdk.ts"
import {privilegedIntents, usualApi} from "./api/account.ts"
import {numberIn, type Payload, payloadOf, textIn} from "./api/payload.ts"
import {intentFlags, invitationOf} from "./check.ts"
import {portal, tokenRemedy} from "./gateway/explain.ts"

/** How `svc init` makes the first account. */
export const setup = {
  title: "Discord",
  id: "club",
  address: "api",
  questions: [
    {
      key: "token",
      variable: "DISCORD_TOKEN",
      where: `Choose New Application at ${portal}, then Bot, then Reset Token.`,
    },
  ],
  next: [
    `Turn on ${privilegedIntents.message_content} at ${portal}, your application, Bot.`,
    "Invite the bot to a server with the address that OAuth2, URL Generator makes, and write there: !help",
  ],
  meet: async ({token = "", api = usualApi}: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const ask = async (path: string): Promise<Payload> => {
      const headers = {authorization: `Bot ${token}`}
      const answer = await fetchWhole(`${api}/v10${path}`, {headers, redirect: "error", signal}).catch(error => {
        throw new Error(`could not reach Discord: ${String(error?.message)}`)
      })
      const said = payloadOf(tryParseJson(await readText(answer)))
      if (answer.ok) return said
      const why = `Discord answered ${answer.status} ${textIn(said, "message") ?? ""}`.trim()
      if (answer.status !== 401) throw new Error(why)
      throw refused(`Discord rejected the token: ${why}`, {reason: "credentials", remediation: tokenRemedy})
    }
    const name = textIn(await ask("/users/@me"), "username")
    if (name === undefined) throw new Error("Discord did not return the bot's user")
    const application = await ask("/applications/@me")
    const isHearing = ((numberIn(application, "flags") ?? 0) & intentFlags.message_content) !== 0
    const page = `${portal}/${textIn(application, "id") ?? ""}/bot`
    return {
      name,
      next: [
        ...(isHearing
          ? []
          : [`Turn on ${privilegedIntents.message_content} at ${page}: without it the bot cannot connect.`]),
        `Invite ${name} to a server: ${invitationOf(application)}`,
        "Write in a channel of that server: !help",
      ],
    }
  },
}
