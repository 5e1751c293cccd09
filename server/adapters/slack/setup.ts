import {fetchWhole, readText, tryParseJson} from "../../../shared/sdk/sdk.ts"
import {apiOf} from "./api/account.ts"
import {appToken as appRemedy, botToken as botRemedy, failureOf} from "./api/api.ts"
import {payloadOf, textIn} from "./api/payload.ts"
import {scopesIn} from "./check.ts"

const apps = "https://api.slack.com/apps"

/** How `svc init` makes the first account. */
export const setup = {
  title: "Slack",
  id: "team",
  address: "api",
  questions: [
    {
      key: "appToken",
      variable: "SLACK_APP_TOKEN",
      where: `${apps}, your app, Basic Information, App-Level Tokens: a token (xapp-…) with connections:write.`,
    },
    {
      key: "botToken",
      variable: "SLACK_BOT_TOKEN",
      where: `${apps}, your app, Install App: the Bot User OAuth Token (xoxb-…).`,
    },
  ],
  next: ["Invite the bot to a channel with /invite, and write there: !help"],
  meet: async ({botToken = "", appToken = "", ...account}: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const ask = async (method: string, token: string, remedy: string) => {
      const headers = {authorization: `Bearer ${token}`}
      const request = {method: "POST", headers, redirect: "error", signal} as const
      const answer = await fetchWhole(`${apiOf(account)}${method}`, request).catch(error => {
        throw new Error(`Slack did not answer ${method}: ${String(error?.message)}`)
      })
      const said = payloadOf(tryParseJson(await readText(answer)))
      if (said.ok !== true) throw failureOf({code: "slack_webapi_platform_error", data: said}, method, remedy)
      return {said, scopes: answer.headers.get("x-oauth-scopes")?.split(/\s*,\s*/)}
    }
    const {said, scopes} = await ask("auth.test", botToken, botRemedy)
    await ask("apps.connections.open", appToken, appRemedy)
    const name = textIn(said, "user") ?? "the bot"
    return {
      name: `@${name} in the workspace ${textIn(said, "team") ?? ""}`,
      next: [
        ...scopesIn(scopes).flatMap(({ok, remediation = ""}) => (ok ? [] : [remediation])),
        `Write in a channel: /invite @${name}`,
        "Write there: !help",
      ],
    }
  },
}
