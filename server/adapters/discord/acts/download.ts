import type {Sender} from "../../../../shared/sdk/sdk.ts"
import {type AccountSettings, usualApi} from "../api/account.ts"
import type {Api} from "../api/api.ts"
import {payloadOf, payloadsOf, textIn} from "../api/payload.ts"

/** The hosts of attachments. Their addresses need no token. */
const hosts: readonly string[] = ["https://cdn.discordapp.com", "https://media.discordapp.net"]

/** Opens attachments. An address expires after about a day, and the adapter refreshes an expired one. */
export const createDownload = (
  api: Api,
  {api: address = usualApi}: Pick<AccountSettings, "api">,
): NonNullable<Sender["download"]> => {
  const origins = address === usualApi ? hosts : [...hosts, new URL(address).origin]
  const isOurs = (src: string): boolean => URL.canParse(src) && origins.includes(new URL(src).origin)
  return async ({src = ""}, signal) => {
    if (!isOurs(src)) return undefined
    const current = isOver(src) ? await refresh(api, src, signal) : src
    return isOurs(current) ? fetch(current, {signal, redirect: "error"}) : undefined
  }
}

/** `ex` is the expiry in seconds since 1970, in hexadecimal. */
const isOver = (src: string): boolean => {
  const end = Number.parseInt(new URL(src).searchParams.get("ex") ?? "", 16)
  return !Number.isNaN(end) && end * 1000 < Date.now()
}

const refresh = async (api: Api, src: string, signal: AbortSignal): Promise<string> => {
  const answer = payloadOf(await api.ask("POST", "/attachments/refresh-urls", {body: {attachment_urls: [src]}}, signal))
  return textIn(payloadsOf(answer.refreshed_urls)[0] ?? {}, "refreshed") ?? src
}
