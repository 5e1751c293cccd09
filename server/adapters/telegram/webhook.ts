import {createHmac, timingSafeEqual} from "node:crypto"
import type {Update} from "grammy/types"
import {Problem, parseJson} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./api/account.ts"
import {apiSignal, type Bot} from "./api/bot.ts"
import {allowedUpdates} from "./incoming/events.ts"
import type {Intake} from "./incoming/intake.ts"

/**
 * Returns the secret that Telegram sends with each update to prove its origin. It is derived from the token, so it
 * stays the same after a restart.
 */
const secretOf = ({token}: AccountSettings): string =>
  createHmac("sha256", token.reveal()).update("svc telegram webhook").digest("base64url")

/** Sets the address for updates. One connection keeps them in order. */
export const setWebhook = async (
  {api}: Bot,
  account: AccountSettings,
  url: string,
  signal: AbortSignal,
): Promise<void> => {
  const webhook = {url, secret_token: secretOf(account), max_connections: 1, allowed_updates: allowedUpdates}
  await api.setWebhook(webhook, apiSignal(signal))
}

/** Receives one update: verifies it before parsing, and answers once it is stored. */
export const receiveUpdate = async (request: Request, account: AccountSettings, intake: Intake): Promise<Response> => {
  if (account.webhook === undefined)
    throw new Problem("endpoint_unknown", "this endpoint polls: its account has no webhook")
  if (request.method !== "POST") return new Response(null, {status: 405, headers: {allow: "POST"}})
  verify(request.headers.get("x-telegram-bot-api-secret-token") ?? "", secretOf(account))
  await intake.store([readBody(await request.text())])
  return new Response(null, {status: 200})
}

const verify = (shown: string, secret: string): void => {
  const [given, expected] = [Buffer.from(shown), Buffer.from(secret)]
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Problem("signature_invalid", "X-Telegram-Bot-Api-Secret-Token does not match this endpoint's webhook")
}

const readBody = (body: string): Update => {
  const update = parseJson(body)
  if (typeof update === "object" && update !== null) return update as Update
  throw new Problem("request_invalid", "the body is not a Bot API update")
}
