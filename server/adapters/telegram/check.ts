import type {UserFromGetMe, WebhookInfo} from "grammy/types"
import type {AdapterFinding, CheckTools} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./api/account.ts"
import {apiSignal, askSelf, createBot} from "./api/bot.ts"
import {BotApiError, failureOf} from "./api/failures.ts"
import {allowedUpdates} from "./incoming/events.ts"

/**
 * Asks Telegram for the bot and its webhook. It does not poll, because that would end the poll of a running endpoint.
 */
export const check = async (account: AccountSettings, tools: CheckTools): Promise<readonly AdapterFinding[]> => {
  const bot = await createBot(account, tools)
  try {
    const me = await askSelf(bot, tools.signal)
    return [...findingsOf(me), ...deliveryOf(account, await bot.api.getWebhookInfo(apiSignal(tools.signal)))]
  } catch (error) {
    if (!(error instanceof BotApiError) || error.code === 429 || error.code >= 500) throw error
    const failure = failureOf(error)
    const remediation = failure instanceof Error && "remediation" in failure ? String(failure.remediation) : ""
    return [{what: "credentials", ok: false, detail: error.message, remediation}]
  }
}

/** Settings at @BotFather. The bot works with either value. */
const findingsOf = (me: UserFromGetMe): readonly AdapterFinding[] => [
  {what: "credentials", ok: true, detail: `the bot is @${me.username}`},
  {
    what: "groups",
    ok: true,
    detail: me.can_join_groups
      ? "users may add the bot to groups"
      : "users cannot add the bot to groups; /setjoingroups of @BotFather changes this",
  },
  {
    what: "privacy mode",
    ok: true,
    detail: me.can_read_all_group_messages
      ? "off: the bot receives all messages of its groups"
      : "on: in groups the bot receives only commands, answers and mentions; /setprivacy of @BotFather turns it off",
  },
]

const deliveryOf = ({webhook}: AccountSettings, info: WebhookInfo): readonly AdapterFinding[] =>
  webhook === undefined ? [pollingOf(info)] : [addressOf(webhook, info), kindsOf(info), lastOf(info)]

const pollingOf = ({url = "", pending_update_count: waiting}: WebhookInfo): AdapterFinding => ({
  what: "polling",
  ok: url === "",
  detail: url === "" ? `no webhook is set; ${waiting} updates are pending` : "a webhook is set, so nobody can poll",
  remediation:
    "Another program has set a webhook for this bot: stop it. The endpoint removes the webhook when it connects.",
})

const addressOf = (webhook: string, {url}: WebhookInfo): AdapterFinding => ({
  what: "webhook",
  ok: url === webhook,
  detail: url === webhook ? `updates go to ${webhook}` : "Telegram sends updates elsewhere, or nowhere",
  remediation:
    "Stop any other program that uses this token, then reconnect the endpoint in the console: it sets the webhook again.",
})

const kindsOf = ({allowed_updates: allowed = []}: WebhookInfo): AdapterFinding => {
  const missing = allowedUpdates.filter(kind => !allowed.includes(kind))
  return {
    what: "kinds of updates",
    ok: missing.length === 0,
    detail: missing.length === 0 ? "all that the adapter reads" : `missing: ${missing.join(", ")}`,
    remediation: "The endpoint requests them when it connects: reconnect it in the console.",
  }
}

/** Telegram keeps the last failure. With no pending updates, it is over. */
const lastOf = ({last_error_message: error, pending_update_count: waiting}: WebhookInfo): AdapterFinding => ({
  what: "delivery",
  ok: error === undefined || waiting === 0,
  detail:
    error === undefined
      ? `${waiting} updates are pending`
      : `${waiting} updates are pending; the last failure was: ${error}`,
  remediation:
    "Make the address in webhook reachable from the Internet, with a valid certificate, on port 443, 80, 88 or 8443.",
})
