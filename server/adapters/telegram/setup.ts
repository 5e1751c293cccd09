import {fetchWhole, readText, tryParseJson} from "../../../shared/sdk/sdk.ts"
import {BotApiError, failureOf} from "./api/failures.ts"

interface Answer {
  readonly ok?: boolean
  readonly result?: {readonly username?: unknown}
  readonly error_code?: number
  readonly description?: string
}

/** How `svc init` makes the first account. */
export const setup = {
  title: "Telegram",
  id: "main",
  address: "apiRoot",
  questions: [
    {
      key: "token",
      variable: "TELEGRAM_TOKEN",
      where: "Write /newbot to @BotFather (https://t.me/BotFather): it answers with the bot's token.",
    },
  ],
  next: ["Open a chat with your bot and write: /help"],
  meet: async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const {token = "", apiRoot = "https://api.telegram.org"} = values
    const address = `${apiRoot.replace(/\/+$/, "")}/bot${token}/getMe`
    const answer = await fetchWhole(address, {redirect: "error", signal}).catch(error => {
      // The error of a request may contain its address, which includes the token.
      throw new Error(`Telegram did not answer getMe: ${String(error?.message).replaceAll(token, "<token>")}`)
    })
    const {ok, result, error_code: code, description = ""} = (tryParseJson(await readText(answer)) ?? {}) as Answer
    if (code !== undefined) throw failureOf(new BotApiError(code, description, {}, /^\d+:[\w-]+$/.test(token)))
    if (ok !== true || typeof result?.username !== "string")
      throw new Error("the answer to getMe does not look like Telegram's Bot API")
    const name = `@${result.username}`
    return {name, next: [`Open https://t.me/${result.username} and write: /help`]}
  },
}
