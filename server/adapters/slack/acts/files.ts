import {setTimeout as sleep} from "node:timers/promises"
import {refused, type Sender} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "../api/account.ts"
import {apiOf} from "../api/account.ts"
import type {Ask} from "../api/api.ts"
import {type Payload, payloadOf, textIn, tsIn} from "../api/payload.ts"
import type {Block} from "../content/blocks.ts"
import {uploaded, type Written} from "../content/write.ts"

/** Slack's own file hosts. The bot's token is sent only to these. */
const hosts: ReadonlySet<string> = new Set(["https://files.slack.com", "https://slack.com"])

type Acts = Required<Pick<Sender, "upload" | "download">>

/** `upload` sends a file to Slack, where no user sees it until a message shows it. */
export const createFiles = (ask: Ask, account: AccountSettings): Acts => {
  const own = new URL(apiOf(account)).origin
  const isOwn = ({origin}: URL) => hosts.has(origin) || origin === own
  return {
    upload: async ({file}, signal) => {
      const {name: filename, size: length} = file
      const answer = await ask("files.getUploadURLExternal", {filename, length}, signal)
      const [url, id] = [textIn(answer, "upload_url"), textIn(answer, "file_id")]
      if (url === undefined || id === undefined) throw new Error("Slack returned no upload address")
      const init = {method: "POST", body: file.stream(), duplex: "half", redirect: "manual", signal} as const
      const headers = {"content-type": "application/octet-stream", "content-length": String(length)}
      const {ok, status, body} = await fetch(url, {...init, headers})
      await body?.cancel().catch(() => {})
      if (!ok) throw new Error(`Slack answered the file upload with ${status}`)
      return `${uploaded}${id}`
    },
    download: async ({src}, signal) => {
      if (src === undefined || !URL.canParse(src)) return undefined
      const url = new URL(src)
      if (!isOwn(url)) return undefined
      const authorization = `Bearer ${account.botToken.reveal()}`
      const answer = await fetch(url, {headers: {authorization}, redirect: "manual", signal})
      if (!isLogin(answer, url)) return answer
      await answer.body?.cancel().catch(() => {})
      throw refused("Slack returned its login page instead of the file", {
        reason: "missing_scope",
        remediation: "Give the app the scope files:read, reinstall it, and invite the bot to the file's channel.",
      })
    },
  }
}

/** Without files:read, Slack redirects to its login page or returns it. */
const isLogin = ({headers, status}: Response, {pathname}: URL): boolean =>
  (status >= 300 && status < 400) ||
  (/^text\/html\b/i.test(headers.get("content-type") ?? "") && !/\.html?$/i.test(pathname))

interface Shared {
  readonly channel: string
  readonly thread_ts: string | undefined
  readonly blocks: readonly Block[]
  readonly files: Written["files"]
}

/**
 * Shows uploaded files in one message. Resolves to its `ts`, or to the id of the first file if Slack does not report
 * the `ts` in time.
 */
export const shareFiles = async (
  ask: Ask,
  shared: Shared,
  signal: AbortSignal,
  known: readonly string[] = [],
): Promise<string> => {
  const {channel, thread_ts, blocks, files} = shared
  const args = {files, channel_id: channel, thread_ts, ...(blocks.length === 0 ? {} : {blocks})}
  await ask("files.completeUploadExternal", args, signal, known)
  const id = files[0]?.id ?? ""
  return (await sharedAs(ask, id, channel, signal).catch(() => undefined)) ?? id
}

/** Slack creates the message later. The adapter asks for it after each of these pauses, in milliseconds. */
const pauses = [0, 100, 300, 600, 1000, 1500] as const

const sharedAs = async (ask: Ask, file: string, channel: string, signal: AbortSignal): Promise<string | undefined> => {
  for (const pause of pauses) {
    await sleep(pause, undefined, {signal})
    const {file: found} = await ask("files.info", {file}, signal)
    const {public: open, private: closed} = payloadOf(payloadOf(found).shares)
    for (const places of [open, closed]) {
      const shares: unknown = payloadOf(places)[channel]
      const ts = Array.isArray(shares) ? tsIn(payloadOf(shares[0]) as Payload, "ts") : undefined
      if (ts !== undefined) return ts
    }
  }
  return undefined
}
